package engine

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cascadesim/experiments/report"
	"cascadesim/experiments/sweep"
)

// role makes the test's own program a server, a worker or a coordinator: real processes, which can
// be killed as such.
var role = os.Getenv("CASCADESIM_TEST_ROLE")

func TestMain(m *testing.M) {
	flag.Parse()
	if role == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := play(ctx, os.Getenv("CASCADESIM_TEST_ARG")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(ctx context.Context, arg string) error {
	switch role {
	case "server":
		s, err := Serve("127.0.0.1:0", "", arg)
		if err != nil {
			return err
		}
		fmt.Println(s.URL())
		<-ctx.Done()
		return s.Close()
	case "worker":
		conn, err := Dial(arg, "")
		if err != nil {
			return err
		}
		w, err := NewWorker(ctx, conn, "test")
		if err != nil {
			return err
		}
		w.patience = 2 * time.Second
		w.Done = func() { fmt.Println("done") }
		return w.Work(ctx, 1)
	}
	out, err := sweeping(ctx, arg)
	fmt.Print(out)
	return err
}

// bundle is a small sweep of so many replications that last so long.
func bundle(t testing.TB, replications int, duration string) *Bundle {
	world, err := os.ReadFile("../sweep/testdata/small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	experiment, err := os.ReadFile("../sweep/testdata/ratio.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(experiment), "{min: 6, max: 20, interval: 10%}",
		fmt.Sprint(replications), 1)
	long := strings.Replace(string(world), "duration: 60s", "duration: "+duration, 1)
	return &Bundle{Version: "test", Name: "ratio.yaml", Files: map[string]string{
		"small.yaml": long, "ratio.yaml": text}}
}

// sweeping runs the sweep of the bundle by the engine at a URL.
func sweeping(ctx context.Context, url string) (string, error) {
	conn, err := Dial(url, "")
	if err != nil {
		return "", err
	}
	defer conn.Close()
	b := bundle(nil, 20, "250s")
	c, err := Coordinate(ctx, conn, b)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return result(ctx, b, c.Run)
}

// result is all that a sweep writes.
func result(ctx context.Context, b *Bundle, run sweep.Runner) (string, error) {
	e, err := b.Open()
	if err != nil {
		return "", err
	}
	s, err := sweep.New(e, sweep.Options{Version: b.Version, Run: run})
	if err == nil {
		err = s.Execute(ctx, nil)
	}
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	r := s.Result(true)
	same := func(s string) string { return s }
	for _, err := range []error{r.WriteText(&out, report.Terminal{}, same), r.WriteCSV(&out),
		r.WriteJSON(&out)} {
		if err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

// process starts this program in a role.
func process(t testing.TB, role, arg string) (*exec.Cmd, *watched) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "CASCADESIM_TEST_ROLE="+role, "CASCADESIM_TEST_ARG="+arg)
	out := &watched{lines: make(chan string, 10_000)}
	c.Stdout, c.Stderr = out, os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c, out
}

// watched is what a process has written.
type watched struct {
	text  bytes.Buffer
	lines chan string
}

func (w *watched) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		select {
		case w.lines <- strings.TrimSpace(line):
		default:
		}
	}
	return w.text.Write(p)
}

// await waits for n lines.
func (w *watched) await(t testing.TB, n int) (last string) {
	t.Helper()
	for range n {
		select {
		case last = <-w.lines:
		case <-time.After(2 * time.Minute):
			t.Fatal("a process says nothing")
		}
	}
	return last
}

// kill ends a process as a power cut does.
func kill(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
}

// Two of three workers and the coordinator are killed while they work; a new coordinator goes on,
// and writes the bytes of a sweep on one machine.
func TestKilledWorkersAndCoordinatorLoseNothing(t *testing.T) {
	b := bundle(t, 20, "250s")
	want, err := result(t.Context(), b, sweep.Local(2))
	if err != nil {
		t.Fatal(err)
	}
	_, server := process(t, "server", filepath.Join(t.TempDir(), "engine"))
	url := server.await(t, 1)
	coordinator, _ := process(t, "coordinator", url)
	first, one := process(t, "worker", url)
	second, two := process(t, "worker", url)
	_, three := process(t, "worker", url)
	one.await(t, 3)
	kill(t, first)
	two.await(t, 3)
	kill(t, coordinator)
	kill(t, second)
	three.await(t, 1)

	again, out := process(t, "coordinator", url)
	if err := again.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := out.text.String(); got != want {
		t.Errorf("the engine gives other results:\n%s\nwant\n%s", got, want)
	}
}

// local starts an engine in this process for a small sweep and connects.
func local(t testing.TB) (*Coordinator, *Worker, *Bundle) {
	t.Helper()
	b := bundle(t, 6, "60s")
	c, w := within(t, b)
	return c, w, b
}

// within starts an engine in this process and connects.
func within(t testing.TB, b *Bundle) (*Coordinator, *Worker) {
	t.Helper()
	s, err := Serve("127.0.0.1:0", "", "")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		_ = s.Close()
	})
	c, err := Coordinate(t.Context(), conn, b)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWorker(t.Context(), conn, "test")
	if err != nil {
		t.Fatal(err)
	}
	return c, w
}

// An engine within gives the bytes of a sweep without one, and a second run finds all results.
func TestEngineWithinChangesNothing(t *testing.T) {
	c, w, b := local(t)
	want, err := result(t.Context(), b, sweep.Local(2))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Work(ctx, 2) }()
	got, err := result(t.Context(), b, c.Run)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if got, err := result(t.Context(), b, c.Run); err != nil || got != want {
		t.Errorf("nobody works any more, but all results are there: %v", err)
	}
}

// A result that differs from one that is there stops the sweep.
func TestContradictionStopsTheSweep(t *testing.T) {
	c, w, b := local(t)
	e, err := b.Open()
	if err != nil {
		t.Fatal(err)
	}
	cell, err := sweep.Compile(e, "test", 0, e.Axes[0].Levels[:1], "")
	if err != nil {
		t.Fatal(err)
	}
	task := cell.Task(e, 0)
	if _, err := c.kv.Create(t.Context(), task.Key, []byte(`{"key":"other"}`)); err != nil {
		t.Fatal(err)
	}
	o := order{Bundle: c.hash, Key: task.Key, Case: task.Case, Labels: task.Labels, Seed: task.Seed}
	if err := w.run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "different") {
		t.Errorf("two results of one replication: %v", err)
	}
	if _, err := result(t.Context(), b, c.Run); err == nil {
		t.Error("the coordinator takes a result of another replication")
	}
}

// A worker of another version is refused, and the sweep says so.
func TestOtherVersionsAreRefused(t *testing.T) {
	c, w, b := local(t)
	w.version = "other"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = w.Work(ctx, 1) }()
	if _, err := result(t.Context(), b, c.Run); err == nil ||
		!strings.Contains(err.Error(), "version test and this worker other") {
		t.Errorf("got %v", err)
	}
}

// Who can be reached from elsewhere asks who it is.
func TestReachableEnginesNeedToken(t *testing.T) {
	if _, err := Serve("0.0.0.0:0", "", ""); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("got %v", err)
	}
	s, err := Serve("127.0.0.1:0", "secret", "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := Dial(s.URL(), ""); err == nil {
		t.Error("no token is accepted")
	}
	conn, err := Dial(s.URL(), "secret")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// What a replication costs by itself, by workers on this machine, by an engine within and by a
// server with a worker, each a process: what is more than alone is what each adds. Processor time
// is that of this process, and says more than the clock where others work too.
func BenchmarkTask(b *testing.B) {
	bundled := bundle(b, 6, "60s")
	bundled.Files["small.yaml"] = strings.Replace(bundled.Files["small.yaml"], "50/s", "1/s", 1)
	c, w := within(b, bundled)
	e, err := bundled.Open()
	if err != nil {
		b.Fatal(err)
	}
	cell, err := sweep.Compile(e, "test", 0, e.Axes[0].Levels[:1], "")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("alone", func(b *testing.B) {
		defer spent(b)()
		for i := range b.N {
			if _, err := cell.Simulate(b.Context(), uint64(i), "key"); err != nil {
				b.Fatal(err)
			}
		}
	})
	asked := 0 // no replication is asked for twice
	by := func(name string, run sweep.Runner) {
		b.Run(name, func(b *testing.B) {
			var tasks []sweep.Task
			for range b.N {
				tasks = append(tasks, cell.Task(e, asked))
				asked++
			}
			b.ResetTimer()
			defer spent(b)()
			if err := run(b.Context(), tasks, func(int, sweep.Sample) error { return nil }); err != nil {
				b.Fatal(err)
			}
		})
	}
	by("local", sweep.Local(1))
	go func() { _ = w.Work(b.Context(), 1) }()
	by("within", c.Run)
	_, server := process(b, "server", filepath.Join(b.TempDir(), "engine"))
	url := server.await(b, 1)
	conn, err := Dial(url, "")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	far, err := Coordinate(b.Context(), conn, bundled)
	if err != nil {
		b.Fatal(err)
	}
	process(b, "worker", url)
	by("server", far.Run)
}

// spent reports the processor time between its call and the call of what it returns.
func spent(b *testing.B) func() {
	now := func() int64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return u.Utime.Nano() + u.Stime.Nano()
	}
	before := now()
	return func() { b.ReportMetric(float64(now()-before)/float64(b.N), "cpu-ns/op") }
}
