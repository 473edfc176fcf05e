package policies

import "testing"

// TestStatusesAreGRPCCodes: each code has a status, and each status a code.
func TestStatusesAreGRPCCodes(t *testing.T) {
	for status, names := range map[int][]string{
		400: {"INVALID_ARGUMENT", "OUT_OF_RANGE"}, 401: {"UNAUTHENTICATED"},
		403: {"PERMISSION_DENIED"}, 404: {"NOT_FOUND"}, 409: {"ALREADY_EXISTS", "ABORTED"},
		412: {"FAILED_PRECONDITION"}, 429: {"RESOURCE_EXHAUSTED"}, 499: {"CANCELLED"},
		500: {"INTERNAL"}, 501: {"UNIMPLEMENTED"}, 502: {"UNAVAILABLE"}, 503: {"UNAVAILABLE"},
		504: {"DEADLINE_EXCEEDED"}, 520: {"UNKNOWN"}, 521: {"DATA_LOSS"}, 418: {"UNKNOWN"},
	} {
		for _, class := range []Class{Error, Rejected, Blocked} {
			o := Outcome{Class: class, Status: status}
			if got, want := o.grpcCodes(), grpcCodesOf(names); got != want {
				t.Errorf("%s of %d: codes %b, want %b (%v)", class, status, got, want, names)
			}
		}
	}
	for o, name := range map[Outcome]string{
		{Class: TimedOut}: "DEADLINE_EXCEEDED", {Class: Dropped}: "UNAVAILABLE", {Class: OK}: "OK",
		{Class: Rejected, Unreached: true, Status: 503}: "UNAVAILABLE",
	} {
		if got := o.grpcCodes(); got != grpcCodesOf([]string{name}) {
			t.Errorf("%+v: codes %b, want %s", o, got, name)
		}
	}
}
