package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// EnvoyOutlierDetection are the settings of Envoy's outlier detection, in percent where Envoy has
// percent, and healthy_panic_threshold, which decides whether the balancer heeds it.
type EnvoyOutlierDetection struct {
	Interval sim.Time `yaml:"interval" doc:"How often rates are judged and hosts come back; at least 1 ms."`
	Base     sim.Time `yaml:"base_ejection_time" doc:"How long a host is out, times how often it was; at least 1 ms."`
	Most     sim.Time `yaml:"max_ejection_time" doc:"How long at most; 0 for 300 s, or the base if longer."`
	Jitter   sim.Time `yaml:"max_ejection_time_jitter" doc:"Up to this is added, in whole ms."`
	Percent  int      `yaml:"max_ejection_percent" doc:"Most hosts that are out at a time; 0 to 100."`
	OneHost  bool     `yaml:"always_eject_one_host" doc:"One may be out whatever max_ejection_percent says."`
	Panic    int      `yaml:"healthy_panic_threshold" doc:"With a smaller percentage of hosts in, all are; 0 for never."`

	Row5xx      int  `yaml:"consecutive_5xx" doc:"Statuses from 500 on in a row; at least 1."`
	RowGateway  int  `yaml:"consecutive_gateway_failure" doc:"Statuses 502, 503 or 504 in a row; at least 1."`
	RowLocal    int  `yaml:"consecutive_local_origin_failure" doc:"With split: no answer in a row; at least 1."`
	Split       bool `yaml:"split_external_local_origin_errors" doc:"Count what Envoy finds out itself apart from answers."`
	Rate        int  `yaml:"success_rate_stdev_factor" doc:"Thousandths of a standard deviation below the mean."`
	RateHosts   int  `yaml:"success_rate_minimum_hosts" doc:"Hosts with enough requests that there must be."`
	RateVolume  int  `yaml:"success_rate_request_volume" scale:"s" doc:"Requests in an interval that are enough."`
	Failed      int  `yaml:"failure_percentage_threshold" doc:"Failed share at which a host is an outlier; 0 to 100."`
	FailedHosts int  `yaml:"failure_percentage_minimum_hosts" doc:"Hosts with enough requests that there must be."`
	FailVolume  int  `yaml:"failure_percentage_request_volume" scale:"s" doc:"Requests in an interval that are enough."`

	Enforce5xx         int `yaml:"enforcing_consecutive_5xx" doc:"Chance that it ejects; 0 to 100."`
	EnforceGateway     int `yaml:"enforcing_consecutive_gateway_failure" doc:"The same; 0 to 100."`
	EnforceLocal       int `yaml:"enforcing_consecutive_local_origin_failure" doc:"The same; 0 to 100."`
	EnforceRate        int `yaml:"enforcing_success_rate" doc:"The same; 0 to 100."`
	EnforceRateLocal   int `yaml:"enforcing_local_origin_success_rate" doc:"The same, with split; 0 to 100."`
	EnforceFailed      int `yaml:"enforcing_failure_percentage" doc:"The same; 0 to 100."`
	EnforceFailedLocal int `yaml:"enforcing_failure_percentage_local_origin" doc:"The same, with split; 0 to 100."`
}

var _ = builtin(Spec{
	Name: "envoy_outlier_detection",
	Doc: "Ejects replicas from an Envoy cluster's choice, each caller by what it sees itself. At " +
		"once when `consecutive_5xx` answers in a row (or gateway failures) are errors: a timeout is " +
		"504, a connection that was refused, reset or not made is 503, and what is given up because " +
		"its caller has gone or another copy was faster is nothing. And every `interval`: of the hosts " +
		"with `success_rate_request_volume` requests in it, those whose rate is more than " +
		"success_rate_stdev_factor/1000 standard deviations below the mean; those that fail at least " +
		"`failure_percentage_threshold`. Only if 100 * (out + 1) / hosts is at most " +
		"`max_ejection_percent`: with the default of 10 a cluster of fewer than ten hosts never ejects " +
		"any, unless always_eject_one_host. A host is out for base_ejection_time * k, to " +
		"`max_ejection_time`, plus jitter, and comes back at the next interval after that; k grows " +
		"with each ejection and falls by one in each interval without. When fewer than " +
		"`healthy_panic_threshold` percent of the hosts are in, the balancer ignores all this. Each " +
		"caller's intervals begin at a time of its own. With split, answers and local failures " +
		"(timeouts, refused and reset connections) are counted apart, and each connection that is made " +
		"ends a row of local failures, so timeouts seldom make one; here a connection is taken to be " +
		"made when the last one to that host was. At a scale request volumes are divided, rows are " +
		"not. Not modelled: priorities, active health checks, extensions, degraded hosts. A try that " +
		"goes on after its timeout (hedge_on_per_try_timeout) counts as that timeout, whatever it " +
		"answers later; hosts found in the same interval are ejected in the order " +
		"of their numbers.",
	Example:  "{consecutive_5xx: 5, interval: 10s, base_ejection_time: 30s, max_ejection_percent: 50}",
	Source:   "envoyproxy/envoy@00c7146d outlier_detection_impl.cc; outlier_detection.proto",
	Sure:     FromSource,
	Stateful: true,
}, EnvoyOutlierDetection{
	// The product's defaults (outlier_detection_impl.h, common_lb_config).
	Interval: 10 * sim.Second, Base: 30 * sim.Second, Percent: 10, Panic: 50,
	Row5xx: 5, RowGateway: 5, RowLocal: 5,
	Rate: 1900, RateHosts: 5, RateVolume: 100,
	Failed: 85, FailedHosts: 5, FailVolume: 50,
	Enforce5xx: 100, EnforceLocal: 100, EnforceRate: 100, EnforceRateLocal: 100,
}, checkEnvoyOutliers, func(s EnvoyOutlierDetection) func() Policy {
	if s.Most == 0 {
		s.Most = max(300*sim.Second, s.Base)
	}
	return func() Policy {
		d := &outlierDetector{terms: &s, next: s.Interval}
		return Policy{Ejector: d, Seed: d.seed, Level: d.level}
	}
})

func checkEnvoyOutliers(s EnvoyOutlierDetection) []error {
	errs := mistakes(
		outsideTime("interval", s.Interval, sim.Millisecond, sim.Hour),
		outsideTime("base_ejection_time", s.Base, sim.Millisecond, 24*sim.Hour),
		outsideTime("max_ejection_time_jitter", s.Jitter, 0, 24*sim.Hour),
		outside("max_ejection_percent", s.Percent, 0, 100),
		outside("healthy_panic_threshold", s.Panic, 0, 100),
		outside("consecutive_5xx", s.Row5xx, 1, 1e9),
		outside("consecutive_gateway_failure", s.RowGateway, 1, 1e9),
		outside("consecutive_local_origin_failure", s.RowLocal, 1, 1e9),
		outside("success_rate_stdev_factor", s.Rate, 0, 1e9),
		outside("success_rate_minimum_hosts", s.RateHosts, 0, 1e9),
		outside("success_rate_request_volume", s.RateVolume, 0, 1e9),
		outside("failure_percentage_threshold", s.Failed, 0, 100),
		outside("failure_percentage_minimum_hosts", s.FailedHosts, 0, 1e9),
		outside("failure_percentage_request_volume", s.FailVolume, 0, 1e9),
	)
	if s.Most != 0 && (s.Most < max(1, s.Base) || s.Most > 24*sim.Hour) {
		errs = append(errs, fmt.Errorf("max_ejection_time: %s; base_ejection_time to 24 h, or 0",
			unit.FormatDuration(s.Most)))
	}
	for _, e := range []struct {
		name string
		n    int
	}{
		{"enforcing_consecutive_5xx", s.Enforce5xx},
		{"enforcing_consecutive_gateway_failure", s.EnforceGateway},
		{"enforcing_consecutive_local_origin_failure", s.EnforceLocal},
		{"enforcing_success_rate", s.EnforceRate},
		{"enforcing_local_origin_success_rate", s.EnforceRateLocal},
		{"enforcing_failure_percentage", s.EnforceFailed},
		{"enforcing_failure_percentage_local_origin", s.EnforceFailedLocal},
	} {
		errs = append(errs, mistakes(outside(e.name, e.n, 0, 100))...)
	}
	return errs
}
