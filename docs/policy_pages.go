package docs

import (
	"fmt"
	"strings"

	"cascadesim/model/load"
	"cascadesim/policies"
)

func policyReference() (string, error) {
	var b strings.Builder
	b.WriteString(head("policies.md"))
	for _, k := range policies.Builtins().Kinds() {
		fmt.Fprintf(&b, "## %s\n\n%s.\n\n%s\n\n", k.Name, strings.Join(roles(k), ", "), k.Doc)
		fmt.Fprintf(&b, "Source: %s (%s).\n\n", k.Source, k.Sure.Says())
		writeSettings(&b, k)
		fmt.Fprintf(&b, "```yaml\n- %s: %s\n```\n\n", k.Name, example(k))
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

// example is the settings as a file may write them; a policy without any takes an empty map.
func example(k *policies.Kind) string {
	if k.Example == "" {
		return "{}"
	}
	return k.Example
}

// roles are what a policy does, in words.
func roles(k *policies.Kind) []string {
	place := "Of a caller's stack"
	if k.Callee {
		place = "Of a tier's admission"
	}
	out := append([]string{place}, k.Roles()...)
	for _, r := range []struct {
		does bool
		word string
	}{
		{k.AtSend, "asked at the send"}, {k.Refuses, "may refuse"}, {k.Spends, "spends"},
		{k.Stateful, "has state"},
	} {
		if r.does {
			out = append(out, r.word)
		}
	}
	return out
}

func writeSettings(b *strings.Builder, k *policies.Kind) {
	if len(k.Fields()) == 0 {
		return
	}
	b.WriteString("| setting | default | unit | | meaning |\n|---|---|---|---|---|\n")
	for _, f := range k.Fields() {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", f.Name, cell(f.Default()),
			load.UnitOf(f.Type), scaleMark(f.Scales), cell(f.Meaning()))
	}
	b.WriteString("\n")
}

func scaleMark(scales bool) string {
	if scales {
		return "S"
	}
	return ""
}

func presetReference() (string, error) {
	var b strings.Builder
	b.WriteString(head("presets.md"))
	b.WriteString("## In one look\n\n| preset | tries | before retry n | jitter | cap | storm guard " +
		"| retries on |\n|---|---|---|---|---|---|---|\n")
	all := load.Presets()
	for _, p := range all {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s | %s | %s | %s |\n", presetName(p), anchor(p),
			cell(p.Look.Tries), cell(p.Look.Delay), cell(p.Look.Jitter), cell(p.Look.Cap),
			cell(p.Look.Guard), cell(p.Look.On))
	}
	for _, p := range all {
		writePreset(&b, p)
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

// presetName is how a file names a preset: an older one with its version.
func presetName(p load.Preset) string {
	if p.Older {
		return p.Full()
	}
	return p.Name
}

// anchor is the link to a preset's heading.
func anchor(p load.Preset) string {
	return strings.NewReplacer("@", "", ".", "").Replace(strings.ToLower(presetName(p)))
}

func writePreset(b *strings.Builder, p load.Preset) {
	fmt.Fprintf(b, "\n## %s\n\n%s, version %s. %s\n\n", presetName(p), p.Product, p.Version, p.Doc)
	fmt.Fprintf(b, "Source: %s (%s).\n\n", p.Source, p.Sure.Says())
	var stack []string
	for _, use := range p.Stack {
		stack = append(stack, "["+use.Policy+"](policies.md#"+use.Policy+")")
	}
	decides := p.Decides + " decides what is tried again"
	if p.Decides == "" {
		decides = "tried again: `" + strings.Join(p.RetryOn, "` `") + "`"
	}
	fmt.Fprintf(b, "Stack: %s; %s.\n", strings.Join(stack, ", "), decides)
	if len(p.Parameters) == 0 {
		return
	}
	b.WriteString("\n| setting | value | policy's default | unit | | meaning |\n" +
		"|---|---|---|---|---|---|\n")
	for _, param := range p.Parameters {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", param.Name(), cell(param.Value),
			cell(param.Default), param.Unit, scaleMark(param.Scales), cell(param.Doc))
	}
}
