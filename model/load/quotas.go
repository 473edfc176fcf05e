package load

import (
	"reflect"

	"cascadesim/model"
	"cascadesim/policies"
)

// quotaField is the field of an entry's settings that differ by client: as those of its policy,
// each of which may be left out.
func (g *grammar) quotaField(f *field, policy *shape) *field {
	own := *f
	elem := &shape{form: recordForm, typ: policy.typ, verb: policy.verb, quota: true}
	elem.fields = append(elem.fields, policy.fields...)
	own.shape = &shape{form: mapForm, typ: f.shape.typ, elem: elem}
	return &own
}

// quotas decodes the settings that differ for some clients. What one leaves out is the entry's.
func (d *decoder) quotas(body *shape, k *policies.Kind, n *node, path string,
	use *model.PolicyUse,
) {
	list := n.get("by_client")
	path = join(path, "by_client")
	if list.absent() || !d.expect(mapNode, list, path) {
		return
	}
	s := body.field("by_client").shape.elem
	for _, p := range list.pairs {
		own := reflect.New(s.typ)
		own.Elem().Set(reflect.ValueOf(use.Settings).Elem())
		at, wrong := join(path, p.key), len(d.problems)
		d.body = s
		d.record(s, entry(s, p.value), at, own.Elem())
		d.body = nil
		use.ByClient = append(use.ByClient, model.Entry[any]{Name: p.key, Value: own.Interface()})
		if len(d.problems) > wrong {
			continue
		}
		for _, err := range k.Check(own.Interface()) {
			d.settingError(err, p.value, at)
		}
	}
}
