package engine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Server is an engine in this process, to which workers on this machine or others can connect.
type Server struct {
	server *server.Server
	dir    string
	token  string
	own    bool // the folder is ours, and goes with the server
}

// startTime is how long a server may take to listen.
const startTime = 20 * time.Second

// Serve starts a server that listens on an address such as 127.0.0.1:4222, with port 0 on any that
// is free. One that other machines can reach needs a token. It keeps its queue in dir; empty: in a
// folder of its own that Close removes.
func Serve(address, token, dir string) (*Server, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: expected HOST:PORT, such as 127.0.0.1:4222", address)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return nil, fmt.Errorf("listen on %s: %s is no port", address, portText)
	}
	if ip := net.ParseIP(host); token == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, errors.New("an engine that other machines can reach needs a token")
	}
	s := &Server{dir: dir, token: token}
	if dir == "" {
		if s.dir, err = os.MkdirTemp("", "cascadesim-engine-"); err != nil {
			return nil, fmt.Errorf("make a folder for the engine: %w", err)
		}
		s.own = true
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	s.server, err = server.NewServer(&server.Options{ServerName: "cascadesim", Host: host, Port: port,
		Authorization: token, JetStream: true, StoreDir: s.dir, NoSigs: true, NoLog: true})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the engine: %w", err), s.clean())
	}
	s.server.Start()
	if !s.server.ReadyForConnections(startTime) {
		s.Close()
		return nil, fmt.Errorf("the engine does not listen on %s: is the port taken?", address)
	}
	return s, nil
}

// URL is where workers connect; a token is not in it.
func (s *Server) URL() string { return s.server.ClientURL() }

// Connect connects without the network.
func (s *Server) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(s.server), nats.Token(s.token))
}

// Close ends the server and removes what it kept if nobody asked for that.
func (s *Server) Close() error {
	s.server.Shutdown()
	s.server.WaitForShutdown()
	return s.clean()
}

func (s *Server) clean() error {
	if !s.own {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// Dial connects to a server by its URL, and again whenever the connection breaks.
func Dial(url, token string) (*nats.Conn, error) {
	options := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.Name("cascadesim")}
	if token != "" {
		options = append(options, nats.Token(token))
	}
	c, err := nats.Connect(url, options...)
	if err != nil {
		return nil, fmt.Errorf("connect to the engine at %s: %w", url, err)
	}
	return c, nil
}
