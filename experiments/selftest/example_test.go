package selftest_test

import (
	"context"
	"fmt"
	"os"

	"cascadesim/experiments/selftest"
)

// The arithmetic of nested retries, as a user of the library runs it.
func Example() {
	outcomes, err := selftest.Run(context.Background(), selftest.Options{
		Only: []string{"C7"}, Size: selftest.SizeSmall,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := selftest.Write(os.Stdout, outcomes, selftest.Markdown); err != nil {
		fmt.Println(err)
	}
	// Output:
	// | case | value | expected | measured | sd | 95 % interval | tolerance |  | of |
	// | --- | --- | --- | --- | --- | --- | --- | --- | --- |
	// | C7 | both retry: calls | 12 | 12 | 0 | 12 .. 12 | exact | ok | 1k requests |
	// | C7 | the SDK does not: calls | 4 | 4 | 0 | 4 .. 4 | exact | ok | 1k requests |
	//
	// 2 values: 2 hold, 0 fail
}
