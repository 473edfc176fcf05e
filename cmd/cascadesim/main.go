package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	_ "cascadesim/cmd/cascadesim/early" // before most libraries
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal cancels; from then on a second one kills, in case that takes too long.
	go func() {
		<-ctx.Done()
		stop()
	}()
	os.Exit(run(ctx, system(), os.Args[1:]))
}
