package model

import (
	"strings"

	"cascadesim/model/internal/kernel"
)

// scalers compiles autoscalers. Targets that count attempts or slots scale as these do.
func (c *compiler) scalers() {
	for i := range c.n.t.Tiers {
		d := &c.n.t.Tiers[i]
		a := d.Value.Autoscale
		if a == nil {
			continue
		}
		path := "tiers." + d.Name + ".autoscale"
		if a.HPA != nil {
			c.p.Scalers = append(c.p.Scalers, kernel.Scaler{
				Tier: i, Every: a.Every, Delay: a.Delay, HPA: c.hpa(a),
			})
			continue
		}
		metric, _ := c.n.metric(path+".metric", a.Metric)
		k := kernel.Scaler{
			Tier: i, Metric: metric, Gauge: gaugeOf(a.Metric), Target: a.Target,
			Slots: a.Adjust == "slots", PerReplica: a.Per == "replica", Min: a.Min, Max: a.Max,
			Every: a.Every, Delay: a.Delay, Tolerance: float64(a.Tolerance),
			DownWindow: a.DownWindow,
		}
		if k.Gauge != kernel.GaugeUtilization {
			k.Target /= c.scale.by
		}
		if k.Slots {
			k.Min = c.count(path+".min", a.Min, "slots")
			k.Max = c.count(path+".max", a.Max, "slots")
		}
		c.p.Scalers = append(c.p.Scalers, k)
	}
}

// gaugeOf is the gauge that a metric such as tiers.auth.utilization ends with.
func gaugeOf(metric string) kernel.Gauge {
	switch metric[strings.LastIndexByte(metric, '.')+1:] {
	case "utilization":
		return kernel.GaugeUtilization
	case "busy":
		return kernel.GaugeBusy
	case "in_line":
		return kernel.GaugeInLine
	case "in_system":
		return kernel.GaugeInSystem
	case "slots":
		return kernel.GaugeSlots
	}
	panic("model: unknown gauge in " + metric)
}
