package main

import (
	"bytes"
	"errors"
	"strconv"

	"cascadesim/experiments/report"
	"cascadesim/experiments/report/figure"
	"cascadesim/experiments/sweep"
	"cascadesim/model/load"
)

// sweepPage is what a sweep found as a page: the answer, the tables, and its figures, to point into
// and, for readers without JavaScript, as pictures for light and for dark screens. Again is the
// command that gives it again.
func sweepPage(e *load.Experiment, r *sweep.Result, again string) (report.Page, error) {
	tables := r.Tables()
	page := report.Page{Title: r.Experiment, Doc: r.Question, Tables: tables[:1], More: tables[1:],
		Facts: []report.Fact{{Name: "settings", Value: strconv.Itoa(len(r.Points))},
			{Name: "replications", Value: strconv.Itoa(r.Runs)}, {Name: "version", Value: r.Version}},
		Source: string(e.Text), Replay: again}
	if !r.Complete {
		page.Notes = append(page.Notes, report.Note{Tone: report.Doubt, Text: "interrupted: this is " +
			"only what the replications say that were finished"})
	}
	if r.Answer != nil {
		tone := report.Doubt
		if r.Answer.Point != nil && r.Complete {
			tone = report.Good
		}
		page.Notes = append(page.Notes, report.Note{Tone: tone, Text: r.Answer.Sentence})
	}
	for _, text := range r.Warnings {
		page.Notes = append(page.Notes, report.Note{Tone: report.Doubt, Text: text})
	}
	var data bytes.Buffer
	if err := r.WriteJSON(&data); err != nil {
		return page, err
	}
	var err error
	if page.Plots, err = figure.Plots(data.Bytes()); err != nil {
		return page, err
	}
	for _, k := range figure.KindsOf(data.Bytes()) {
		one, err := picture(k, data.Bytes())
		switch {
		case errors.Is(err, figure.ErrNothing):
			continue
		case err != nil:
			return page, err
		}
		page.Pictures = append(page.Pictures, one)
	}
	return page, nil
}

// picture draws a figure twice.
func picture(k figure.FoundKind, data []byte) (one report.Picture, err error) {
	fig, err := k.Make(data)
	if err != nil {
		return one, err
	}
	one = report.Picture{Title: k.Doc, Alt: fig.Alt}
	if one.LightSVG, err = fig.SVG(); err != nil {
		return one, err
	}
	fig.Dark = true
	one.DarkSVG, err = fig.SVG()
	return one, err
}
