package load

// retry is the schema of an edge's retry: a stack, or a preset with its own settings.
func (s *schemer) retry(sh *shape) object {
	properties := object{}
	for _, f := range sh.fields {
		if f.name != "preset" && f.name != "also" {
			properties[f.name] = s.field(f)
		}
	}
	forms := []any{closed(properties)}
	for _, p := range s.g.presets() {
		name := "preset-" + p.full()
		s.defs[name] = s.preset(sh, p)
		forms = append(forms, object{"$ref": "#/$defs/" + name})
	}
	return either(forms...)
}

// preset is the schema of a retry that names this preset.
func (s *schemer) preset(retry *shape, p *preset) object {
	names := []any{p.full()}
	if !p.older {
		names = append(names, p.name)
	}
	properties := object{"preset": object{"enum": names, "description": p.product}}
	for _, f := range retry.fields {
		switch f.name {
		case "scope", "enabled", "also":
			properties[f.name] = s.field(f)
		case "retry_on":
			if p.retryOn != nil {
				properties[f.name] = s.field(f)
			}
		}
	}
	for _, name := range besidePreset {
		for _, f := range s.g.use {
			if f.name == name {
				properties[name] = s.field(f)
			}
		}
	}
	for _, set := range p.settings {
		f := *s.g.settingField(p, set.paths[0])
		if set.doc != "" {
			f.doc = set.doc
		}
		properties[set.word] = s.field(&f)
	}
	out := closed(properties)
	out["required"] = []string{"preset"}
	return out
}
