package policies

// grpcCodes is a set of gRPC status codes: bit c for code c.
type grpcCodes uint32

// The codes, numbered as on the wire.
const (
	grpcOK grpcCodes = 1 << iota
	grpcCancelled
	grpcUnknown
	grpcInvalidArgument
	grpcDeadlineExceeded
	grpcNotFound
	grpcAlreadyExists
	grpcPermissionDenied
	grpcResourceExhausted
	grpcFailedPrecondition
	grpcAborted
	grpcOutOfRange
	grpcUnimplemented
	grpcInternal
	grpcUnavailable
	grpcDataLoss
	grpcUnauthenticated
)

var grpcNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
	"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
	"OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// grpcCodesOf is the set of the codes with these names; others are passed over.
func grpcCodesOf(names []string) (set grpcCodes) {
	for _, name := range names {
		for c, known := range grpcNames {
			if name == known {
				set |= 1 << c
			}
		}
	}
	return set
}

// grpcCodes are the codes that the outcome may stand for. A world has HTTP statuses, of which some
// stand for two codes; it matches either.
func (o Outcome) grpcCodes() grpcCodes {
	switch o.Class {
	case Pending, Refused:
		return 0
	case OK:
		return grpcOK
	case TimedOut:
		return grpcDeadlineExceeded
	case Dropped:
		return grpcUnavailable
	case Rejected:
		if o.Unreached {
			return grpcUnavailable
		}
	case Error, Blocked:
	default:
		panic("policies: no such class")
	}
	return grpcCodesOfStatus(o.Status)
}

// grpcCodesOfStatus reads an HTTP status. 502 is a proxy's, which gRPC takes as UNAVAILABLE;
// what is none of its codes is UNKNOWN.
func grpcCodesOfStatus(status int) grpcCodes {
	switch status {
	case 400:
		return grpcInvalidArgument | grpcOutOfRange
	case 401:
		return grpcUnauthenticated
	case 403:
		return grpcPermissionDenied
	case 404:
		return grpcNotFound
	case 409:
		return grpcAborted | grpcAlreadyExists
	case 412:
		return grpcFailedPrecondition
	case 429:
		return grpcResourceExhausted
	case 499:
		return grpcCancelled
	case 500:
		return grpcInternal
	case 501:
		return grpcUnimplemented
	case 502, 503:
		return grpcUnavailable
	case 504:
		return grpcDeadlineExceeded
	case 521:
		return grpcDataLoss
	}
	return grpcUnknown
}
