package kernel

// trim packs the series to the windows that were reached; stride is how many they were made for.
func (res *Result) trim(p *Plan, stride int) {
	n := res.Windows
	if n == stride {
		return
	}
	for i := range res.Clients {
		c := &res.Clients[i]
		c.Cells = pack(c.Cells, stride, n)
		c.Series = pack(c.Series, stride, n)
	}
	for i := range res.Edges {
		e := &res.Edges[i]
		e.Cells = pack(e.Cells, stride, n)
		e.Series = pack(e.Series, stride, n)
		e.Probes = pack(e.Probes, stride, n)
		for k := range e.RefusedBy {
			e.RefusedBy[k] = pack(e.RefusedBy[k], stride, n)
			e.Level[k] = pack(e.Level[k], stride, n)
			e.Open[k] = pack(e.Open[k], stride, n)
			e.HalfOpen[k] = pack(e.HalfOpen[k], stride, n)
		}
	}
	for i := range res.Replicas {
		r := &res.Replicas[i]
		r.Cells = pack(r.Cells, stride, n)
		r.Gauges = pack(r.Gauges, stride, n)
		r.WaitSeries = pack(r.WaitSeries, stride, n)
		r.ServiceSeries = pack(r.ServiceSeries, stride, n)
	}
}

// pack keeps the first n cells of each row of stride cells.
func pack[T any](cells []T, stride, n int) []T {
	rows := len(cells) / stride
	for row := 1; row < rows; row++ {
		copy(cells[row*n:(row+1)*n], cells[row*stride:row*stride+n])
	}
	return cells[:rows*n]
}
