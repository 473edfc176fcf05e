package grpc

import (
	"context"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/emptypb"
)

// answer is what the server does with one attempt.
type answer struct {
	code     codes.Code
	pushback []string // values of grpc-retry-pushback-ms
	takes    time.Duration
}

// arrival is an attempt as the server saw it.
type arrival struct {
	at       time.Duration // since the channel was made
	previous string        // grpc-previous-rpc-attempts
}

// channel is a genuine client and server in one virtual time. The server answers from a script.
type channel struct {
	began    time.Time
	conn     *grpc.ClientConn
	server   *grpc.Server
	listener *bufconn.Listener
	script   []answer
	arrivals []arrival
}

// open makes a channel with a service config. It must run in a bubble, and close in the same.
func open(config string, script []answer) (*channel, error) {
	c := &channel{
		began:    time.Now(),
		server:   grpc.NewServer(),
		listener: bufconn.Listen(1 << 16),
		script:   script,
	}
	c.server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "s",
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "m", Handler: c.serve}},
	}, c)
	go func() { _ = c.server.Serve(c.listener) }()
	var err error
	c.conn, err = dial(config, func(ctx context.Context, _ string) (net.Conn, error) {
		return c.listener.DialContext(ctx)
	})
	return c, err
}

func dial(
	config string, connect func(context.Context, string) (net.Conn, error),
) (*grpc.ClientConn, error) {
	return grpc.NewClient("passthrough:///s",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(config),
		grpc.WithContextDialer(connect))
}

func (c *channel) close() error {
	err := c.conn.Close()
	c.server.Stop()
	if e := c.listener.Close(); err == nil {
		err = e
	}
	return err
}

// serve is the server's only method. Attempts come one at a time.
func (c *channel) serve(
	_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor,
) (any, error) {
	in, _ := metadata.FromIncomingContext(ctx)
	n := len(c.arrivals)
	c.arrivals = append(c.arrivals, arrival{
		time.Since(c.began), fmt.Sprint(in.Get("grpc-previous-rpc-attempts"))})
	if err := decode(&emptypb.Empty{}); err != nil {
		return nil, err
	}
	a := c.script[n%len(c.script)]
	select {
	case <-time.After(a.takes):
	case <-ctx.Done():
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	for _, value := range a.pushback {
		if err := grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", value)); err != nil {
			return nil, err
		}
	}
	if a.code != codes.OK {
		return nil, status.Error(a.code, "as the script says")
	}
	return &emptypb.Empty{}, nil
}

// call makes one, and returns its code and when it ended.
func (c *channel) call(deadline time.Duration) (codes.Code, time.Duration) {
	ctx := context.Background()
	if deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deadline)
		defer cancel()
	}
	err := c.conn.Invoke(ctx, "/s/m", &emptypb.Empty{}, &emptypb.Empty{})
	return status.Code(err), time.Since(c.began)
}
