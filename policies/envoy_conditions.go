package policies

import "slices"

// The words of retry_on, as bits, in the order of the list that files may write.
const (
	envoy5xx uint32 = 1 << iota
	envoyGatewayError
	envoyReset
	envoyResetBeforeRequest
	envoyConnectFailure
	envoyRefusedStream
	envoyRatelimited
	envoyRetriable4xx
	envoyRetriableCodes
	envoyRetriableHeaders
	envoyHTTP3
	envoyCancelled
	envoyDeadlineExceeded
	envoyInternal
	envoyResourceExhausted
	envoyUnavailable
)

var envoyRetryOn = []string{
	"5xx", "gateway-error", "reset", "reset-before-request", "connect-failure", "refused-stream",
	"envoy-ratelimited", "retriable-4xx", "retriable-status-codes", "retriable-headers",
	"http3-post-connect-failure", "cancelled", "deadline-exceeded", "internal",
	"resource-exhausted", "unavailable",
}

// envoyConditions are what is tried again, once worked out and never written after.
type envoyConditions struct {
	words   uint32
	codes   statusSet // of retriable-status-codes
	alone   statusSet // statuses that need no word
	limited statusSet // of answers that carry x-envoy-ratelimited
	some    bool      // there is a word, or a status that needs none
	grpc    bool
	hedge   bool
}

func newEnvoyConditions(s EnvoyRetry) envoyConditions {
	c := envoyConditions{
		codes: newStatusSet(s.Codes), alone: newStatusSet(s.CodesAlone),
		limited: newStatusSet(s.Limited), grpc: s.GRPC, hedge: s.Hedge,
		some: len(s.RetryOn)+len(s.CodesAlone) > 0,
	}
	for _, word := range s.RetryOn {
		if i := slices.Index(envoyRetryOn, word); i >= 0 {
			c.words |= 1 << i
		}
	}
	return c
}

// match tells whether an outcome is one that is tried again.
func (c *envoyConditions) match(o Outcome) bool {
	switch o.Class {
	case Error, Blocked:
		return c.matchAnswer(o.Status)
	case Rejected:
		return !o.Unreached && c.matchAnswer(o.Status)
	case TimedOut:
		if c.hedge && !o.Unreached {
			return c.some // there is no reset that a word could name
		}
		return c.matchReset(o.Unreached)
	case Dropped:
		return c.matchReset(o.Unreached)
	case Pending, OK, Refused:
		return false
	}
	panic("policies: no such class")
}

// matchAnswer is about response headers. Those that carry x-envoy-ratelimited heed their own word
// and no other.
func (c *envoyConditions) matchAnswer(status int) bool {
	switch {
	case c.limited.has(status):
		return c.has(envoyRatelimited)
	case c.grpc:
		return c.words&envoyGRPCWord(status) != 0
	case c.alone.has(status):
		return true
	case c.has(envoyRetriableCodes) && c.codes.has(status):
		return true
	}
	return c.has(envoy5xx) && status >= 500 && status <= 599 ||
		c.has(envoyGatewayError) && status >= 502 && status <= 504 ||
		c.has(envoyRetriable4xx) && status == 409
}

// matchReset is about tries without an answer; unreached: no connection was made.
func (c *envoyConditions) matchReset(unreached bool) bool {
	if c.has(envoy5xx | envoyGatewayError | envoyReset) {
		return true
	}
	return unreached && c.has(envoyConnectFailure|envoyResetBeforeRequest)
}

// has tells whether one of some words was written.
func (c *envoyConditions) has(words uint32) bool { return c.words&words != 0 }

// envoyGRPCWord is the word of the gRPC code that a status stands for; 0 when it has none.
func envoyGRPCWord(status int) uint32 {
	switch status {
	case 499:
		return envoyCancelled
	case 504:
		return envoyDeadlineExceeded
	case 500:
		return envoyInternal
	case 429:
		return envoyResourceExhausted
	case 503:
		return envoyUnavailable
	}
	return 0
}
