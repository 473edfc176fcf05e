package figure

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

// resvg is the renderer, as WebAssembly, unchanged; see assets/third_party.
//
//go:embed assets/resvg.wasm.gz
var resvg []byte

// Zoom is how many pixels of a PNG one pixel of the figure has.
const Zoom = 2

// PNG renders a drawn figure at twice its size, with fonts of its own, so that the same figure
// gives the same bytes everywhere.
func PNG(ctx context.Context, svg []byte) ([]byte, error) {
	png, err := render(ctx, svg)
	if err != nil {
		return nil, fmt.Errorf("render PNG: %w", err)
	}
	return png, nil
}

func render(ctx context.Context, svg []byte) (png []byte, err error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(resvg))
	if err != nil {
		return nil, err
	}
	code, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	config := wazero.NewRuntimeConfigCompiler()
	if cache := compiled(); cache != nil {
		defer func() { err = errors.Join(err, cache.Close(ctx)) }()
		config = config.WithCompilationCache(cache)
	}
	machine := wazero.NewRuntimeWithConfig(ctx, config)
	defer func() { err = errors.Join(err, machine.Close(ctx)) }()
	b := &binding{}
	if err := b.host(ctx, machine); err != nil {
		return nil, err
	}
	if b.module, err = machine.Instantiate(ctx, code); err != nil {
		return nil, err
	}
	return b.png(ctx, svg)
}

// compiled keeps the compiled renderer between runs: compiling takes seconds, the rest is quick.
// Nil when there is no place for it.
func compiled() wazero.CompilationCache {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(dir, "cascadesim"))
	if err != nil {
		return nil
	}
	return cache
}

// options of the renderer.
func options() string {
	return `{"fitTo":{"mode":"zoom","value":` + strconv.Itoa(Zoom) + `},"font":{` +
		`"loadSystemFonts":false,"defaultFontFamily":"Go","sansSerifFamily":"Go"}}`
}

// binding is what the renderer expects of its host: objects by number, and a few functions on them.
type binding struct {
	module api.Module
	heap   []any
}

// list is a list of objects, and iterator a place in one.
type (
	list     struct{ items []any }
	iterator struct {
		of *list
		at int
	}
	step struct {
		value any
		done  bool
	}
	// memory stands for the renderer's own memory, view for a part of it.
	memory struct{}
	view   struct{ at, n uint32 }
)

func (b *binding) put(v any) uint32 {
	b.heap = append(b.heap, v)
	return uint32(len(b.heap) - 1)
}

// bytes are those of an object.
func (b *binding) bytes(v any) []byte {
	switch v := v.(type) {
	case []byte:
		return v
	case view:
		data, _ := b.module.Memory().Read(v.at, v.n)
		return bytes.Clone(data)
	}
	return nil
}

func (b *binding) text(at, n uint32) string {
	data, _ := b.module.Memory().Read(at, n)
	return string(data)
}

// pass copies bytes into the renderer's memory.
func (b *binding) pass(ctx context.Context, data []byte) (uint32, error) {
	got, err := b.module.ExportedFunction("__wbindgen_malloc").Call(ctx, uint64(len(data)), 1)
	if err != nil {
		return 0, err
	}
	at := uint32(got[0])
	if !b.module.Memory().Write(at, data) {
		return 0, errors.New("the renderer has no room for its input")
	}
	return at, nil
}

// three calls a function that leaves a result, an error and a flag on the stack.
func (b *binding) three(ctx context.Context, name string, args ...uint64) (uint32, error) {
	stack := b.module.ExportedFunction("__wbindgen_add_to_stack_pointer")
	at, err := stack.Call(ctx, api.EncodeI32(-16))
	if err != nil {
		return 0, err
	}
	all := append([]uint64{at[0]}, args...)
	if _, err := b.module.ExportedFunction(name).Call(ctx, all...); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	read := func(i uint32) uint32 {
		v, _ := b.module.Memory().ReadUint32Le(uint32(at[0]) + 4*i)
		return v
	}
	result, failure, failed := read(0), read(1), read(2)
	if _, err := stack.Call(ctx, 16); err != nil {
		return 0, err
	}
	if failed != 0 {
		return 0, fmt.Errorf("%s: %v", name, b.heap[failure])
	}
	return result, nil
}

// png draws.
func (b *binding) png(ctx context.Context, svg []byte) ([]byte, error) {
	b.heap = []any{nil, nil, true, false}
	words := []byte(options())
	at, err := b.pass(ctx, words)
	if err != nil {
		return nil, err
	}
	fonts := &list{items: []any{goregular.TTF, gobold.TTF}}
	tree, err := b.three(ctx, "resvg_new", uint64(b.put(string(svg))), uint64(at),
		uint64(len(words)), uint64(b.put(fonts)))
	if err != nil {
		return nil, err
	}
	image, err := b.three(ctx, "resvg_render", uint64(tree))
	if err != nil {
		return nil, err
	}
	png, err := b.three(ctx, "renderedimage_asPng", uint64(image))
	if err != nil {
		return nil, err
	}
	out := b.bytes(b.heap[png])
	if len(out) == 0 {
		return nil, errors.New("the renderer made no picture")
	}
	return out, nil
}
