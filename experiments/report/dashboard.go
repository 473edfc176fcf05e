package report

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"cascadesim/model"
)

// boards are the panels of the dashboard, in their order: a query for each line, with the label
// that names it. $__rate_interval is Grafana's, and no less than four windows.
var boards = []struct {
	title, unit string // as Grafana calls it: short, reqps, percentunit
	queries     []boardQuery
}{
	{"Requests that failed", "percentunit", []boardQuery{
		{gauge("client", "failed_share"), "{{client}}"}}},
	{"Requests of clients", "reqps", []boardQuery{
		{rate("client", "requests"), "{{client}} started"}, {rate("client", "ok"), "{{client}} ok"}}},
	{"Attempts by edge", "reqps", []boardQuery{{rate("edge", "attempts"), "{{edge}}"}}},
	{"Amplification: attempts for each request of the clients", "short", []boardQuery{
		{gauge("edge", "amplification"), "{{edge}}"}}},
	{"Retries and hedges", "reqps", []boardQuery{
		{rate("edge", "retries"), "{{edge}} retries"}, {rate("edge", "hedges"), "{{edge}} hedges"}}},
	{"Attempts without a good answer", "reqps", []boardQuery{
		{rate("edge", "error"), "{{edge}} error"}, {rate("edge", "rejected"), "{{edge}} rejected"},
		{rate("edge", "timed_out"), "{{edge}} timed out"},
		{rate("edge", "refused"), "{{edge}} refused by a policy"}}},
	{"Attempts in line", "short", []boardQuery{{gauge("tier", "in_line"), "{{tier}}"}}},
	{"Utilization", "percentunit", []boardQuery{{gauge("tier", "utilization"), "{{tier}}"}}},
	{"Work done for nobody, as a share", "percentunit", []boardQuery{
		{rate("tier", "wasted") + " / " + rate("tier", "completed"), "{{tier}}"}}},
	{"Replicas that are up", "percentunit", []boardQuery{{gauge("tier", "up_share"), "{{tier}}"}}},
}

type boardQuery struct{ expr, legend string }

// chosenSeed keeps the replications that the reader of the dashboard chose.
const chosenSeed = `{seed=~"$seed"}`

func gauge(of, measure string) string {
	return "cascadesim_" + of + "_" + measure + chosenSeed
}

func rate(of, measure string) string {
	return "rate(cascadesim_" + of + "_" + measure + "_total" + chosenSeed + "[$__rate_interval])"
}

// object is a part of JSON.
type object = map[string]any

// WriteDashboard writes a dashboard for Grafana of what WriteOpenMetrics writes, which opens at the
// time of the run.
func WriteDashboard(w io.Writer, plan *model.Plan, runs []*model.Result) error {
	source := object{"type": "prometheus", "uid": "${datasource}"}
	start, seed := beginning(plan), fmt.Sprint(runs[0].Seed)
	board := object{
		"title": "cascadesim: " + Visible(plan.Topology.Name), "tags": []string{"cascadesim"},
		"description": Visible(plan.Scenario.Doc), "schemaVersion": 39, "editable": true,
		"timezone": "utc", "refresh": "", "graphTooltip": 1,
		"panels": panels(source, time.Duration(runs[0].Window)),
		"time": object{"from": start.Format(time.RFC3339Nano),
			"to": start.Add(time.Duration(plan.World.End)).Format(time.RFC3339Nano)},
		"templating": object{"list": []object{
			{"name": "datasource", "label": "data source", "type": "datasource", "query": "prometheus"},
			{"name": "seed", "type": "query", "datasource": source, "refresh": 1, "sort": 3,
				"includeAll": true, "multi": true, "current": object{"text": seed, "value": seed},
				"query": object{"query": "label_values(cascadesim_client_requests_total, seed)",
					"refId": "seeds"}},
		}},
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(board)
}

// panels are the boards two beside each other, for windows of a length.
func panels(source object, window time.Duration) (out []object) {
	for i, b := range boards {
		var targets []object
		for k, q := range b.queries {
			targets = append(targets, object{"refId": string(rune('A' + k)), "expr": q.expr,
				"legendFormat": q.legend, "datasource": source})
		}
		out = append(out, object{"id": i + 1, "type": "timeseries", "title": b.title,
			"datasource": source, "targets": targets,
			"interval": fmt.Sprintf("%dms", max(window.Milliseconds(), 1)),
			"gridPos":  object{"x": 12 * (i % 2), "y": 8 * (i / 2), "w": 12, "h": 8},
			"fieldConfig": object{"overrides": []object{},
				"defaults": object{"unit": b.unit, "min": 0, "custom": object{"spanNulls": false}}},
			"options": object{"tooltip": object{"mode": "multi", "sort": "desc"},
				"legend": object{"displayMode": "list", "placement": "bottom", "showLegend": true}}})
	}
	return out
}
