package sim

// chunkLen is the number of entries of a chunk: fewer make longer chains, more
// waste memory where slots are sparse.
const chunkLen = 16

type chunk [chunkLen]entry

// bag is an unordered collection of n entries in a chain of chunks, all full
// but the first of the chain. The zero bag is empty.
type bag struct{ first, n uint32 }

// pool owns the chunks of all bags of one ladder.
type pool struct {
	chunks []chunk
	next   []uint32 // of each chunk, in its bag or among the free ones; 0 for none
	free   uint32
}

func (p *pool) init() {
	p.chunks = make([]chunk, 1, 16)
	p.next = make([]uint32, 1, 16)
}

func (p *pool) add(b *bag, e entry) {
	i := b.n % chunkLen
	if i == 0 {
		b.first = p.take(b.first)
	}
	b.n++
	p.chunks[b.first][i] = e
}

// take finds a free chunk and chains it before next.
func (p *pool) take(next uint32) uint32 {
	c := p.free
	if c == 0 {
		c = uint32(len(p.chunks))
		p.chunks = append(p.chunks, chunk{})
		p.next = append(p.next, next)
		return c
	}
	p.free = p.next[c]
	p.next[c] = next
	return c
}

// last is the content of the first chunk of b, which is not empty: the entries
// added last. It may be read until the chunk is dropped, whatever is added.
func (p *pool) last(b bag) []entry {
	return p.chunks[b.first][:(b.n-1)%chunkLen+1]
}

// drop frees the first chunk of b.
func (p *pool) drop(b *bag) {
	c := b.first
	b.n -= (b.n-1)%chunkLen + 1
	b.first = p.next[c]
	p.next[c] = p.free
	p.free = c
}
