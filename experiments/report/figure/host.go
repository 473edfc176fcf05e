package figure

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// host gives the renderer the functions that it imports. Their names end in what its build tool
// made of their meaning; a new version of the renderer has others.
func (b *binding) host(ctx context.Context, machine wazero.Runtime) error {
	m := machine.NewHostModuleBuilder("wbg")
	for name, f := range map[string]any{
		"__wbg_new_28c511d9baebfa89": func(at, n uint32) uint32 { return b.put(b.text(at, n)) },
		"__wbindgen_memory":          func() uint32 { return b.put(memory{}) },
		"__wbg_buffer_12d079cc21e14bdb": func(uint32) uint32 {
			return b.put(memory{}) // of a memory or of a view: it is the same one
		},
		"__wbg_newwithbyteoffsetandlength_aa4a17c33a06e5cb": func(_, at, n uint32) uint32 {
			return b.put(view{at, n})
		},
		"__wbindgen_object_drop_ref": func(uint32) {}, // all go with the machine
		"__wbg_new_63b92bc8671ed464": func(of uint32) uint32 {
			if whole, ok := b.heap[of].(memory); ok {
				return b.put(whole)
			}
			return b.put(b.bytes(b.heap[of]))
		},
		"__wbg_values_839f3396d5aac002": func(of uint32) uint32 {
			return b.put(&iterator{of: b.heap[of].(*list)})
		},
		"__wbg_next_196c84450b364254": func(of uint32) uint32 { return b.put(b.next(of)) },
		"__wbg_done_298b57d23c0fc80c": func(of uint32) uint32 {
			if b.heap[of].(step).done {
				return 1
			}
			return 0
		},
		"__wbg_value_d93c65011f51a456": func(of uint32) uint32 {
			return b.put(b.heap[of].(step).value)
		},
		"__wbg_instanceof_Uint8Array_2b3bbecd033d19f6": func(of uint32) uint32 {
			if _, ok := b.heap[of].([]byte); ok {
				return 1
			}
			return 0
		},
		"__wbindgen_string_get":      b.stringGet,
		"__wbg_new_16b304a2cfa7ff4a": func() uint32 { return b.put(&list{}) },
		"__wbindgen_string_new":      func(at, n uint32) uint32 { return b.put(b.text(at, n)) },
		"__wbg_push_a5b05aedc7234f9f": func(to, of uint32) uint32 {
			l := b.heap[to].(*list)
			l.items = append(l.items, b.heap[of])
			return uint32(len(l.items))
		},
		"__wbg_length_c20a40f15020d68a": func(of uint32) uint32 {
			return uint32(len(b.bytes(b.heap[of])))
		},
		"__wbg_set_a47bac70306a19a7": b.set,
		"__wbindgen_throw": func(at, n uint32) {
			panic(fmt.Errorf("the renderer: %s", b.text(at, n)))
		},
	} {
		m = m.NewFunctionBuilder().WithFunc(f).Export(name)
	}
	_, err := m.Instantiate(ctx)
	return err
}

func (b *binding) next(of uint32) step {
	it := b.heap[of].(*iterator)
	if it.at == len(it.of.items) {
		return step{done: true}
	}
	it.at++
	return step{value: it.of.items[it.at-1]}
}

// set copies the bytes of an object into another, which is the renderer's memory or bytes here.
func (b *binding) set(to, of, offset uint32) {
	data := b.bytes(b.heap[of])
	switch target := b.heap[to].(type) {
	case memory:
		b.module.Memory().Write(offset, data)
	case view:
		b.module.Memory().Write(target.at+offset, data)
	case []byte:
		copy(target[offset:], data)
	}
}

// stringGet leaves a text and its length at a place; 0 for what is no text.
func (b *binding) stringGet(ctx context.Context, m api.Module, to, of uint32) {
	var at, n uint32
	if s, ok := b.heap[of].(string); ok {
		n = uint32(len(s))
		var err error
		if at, err = b.pass(ctx, []byte(s)); err != nil {
			panic(err)
		}
	}
	m.Memory().WriteUint32Le(to, at)
	m.Memory().WriteUint32Le(to+4, n)
}
