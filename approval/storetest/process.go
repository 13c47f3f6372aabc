package storetest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
)

// What a child process is told, by its environment.
const (
	envStore   = "CAP_STORETEST_STORE"   // how to open the store
	envEffects = "CAP_STORETEST_EFFECTS" // the file to which each effect adds a line
	envStep    = "CAP_STORETEST_STEP"    // where to be killed
)

// Main runs the tests of a store that outlives its process, from TestMain: the test binary is its own child process. open
// opens the store that a name stands for.
func Main(m *testing.M, open func(ctx context.Context, name string) (approval.Store, error)) int {
	name := os.Getenv(envStore)
	if name == "" {
		return m.Run()
	}
	if err := serve(open, name); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// order is what a child is asked to call, a line of JSON.
type order struct {
	Args     string
	Approval string
}

// answer is what came of it.
type answer struct {
	Ran      bool
	Replayed bool
	Code     cap.Code
	Effect   string
	Approval string
}

// serve answers orders until there are no more.
func serve(open func(context.Context, string) (approval.Store, error), name string) error {
	store, err := open(context.Background(), name)
	if err != nil {
		return err
	}
	step := os.Getenv(envStep)
	gate, err := approval.New(mortal{store, step}, approval.Options{})
	if err != nil {
		return err
	}
	registry := cap.New(cap.Options{Gate: gate})
	if err := registry.Register(&Shop{Effect: func(_ context.Context, order string) error { return effect(step, order) }}); err != nil {
		return err
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o order
		if err := in.Decode(&o); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := out.Encode(obey(registry, o)); err != nil {
			return err
		}
	}
}

func obey(registry *cap.Registry, o order) answer {
	result, failed := Call(context.Background(), registry, "refund_order", o.Args, Bot, cap.Confirmation{Approval: o.Approval})
	if failed == nil {
		return answer{Ran: !result.Replayed, Replayed: result.Replayed, Approval: result.Approval}
	}
	a := answer{Code: failed.Code, Effect: failed.Effect}
	if failed.Confirmation != nil {
		a.Approval = failed.Confirmation.Approval
	}
	return a
}

// effect adds a line to the file of effects.
func effect(step, line string) error {
	die(step, "before the effect")
	file, err := os.OpenFile(os.Getenv(envEffects), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := file.WriteString(line + "\n"); err != nil {
		return err
	}
	die(step, "after the effect")
	return file.Close()
}

// die kills this process, without any of its last words, where it is to die.
func die(step, here string) {
	if step != here {
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// mortal is a store during whose updates the process is killed.
type mortal struct {
	approval.Store
	step string
}

func (m mortal) Update(ctx context.Context, change func(approval.Tx) error) error {
	var doing string
	err := m.Store.Update(ctx, func(t approval.Tx) error {
		watched := &watchedTx{Tx: t}
		err := change(watched)
		doing = watched.doing
		die(m.step, "inside "+doing)
		return err
	})
	die(m.step, "after "+doing)
	return err
}

// watchedTx learns from the log what an update is about.
type watchedTx struct {
	approval.Tx
	doing string
}

func (t *watchedTx) Append(e approval.Entry) error {
	switch e.Event {
	case approval.EventStarted:
		t.doing = "begin"
	case approval.EventFinished:
		t.doing = "finish"
	default:
	}
	return t.Tx.Append(e)
}

// child is a process that calls for the tests.
type child struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startChild(t *testing.T, store, effects, step string) *child {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), self, "-test.run=^$")
	command.Env = append(os.Environ(), envStore+"="+store, envEffects+"="+effects, envStep+"="+step)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	return &child{command: command, in: in, out: bufio.NewReader(out)}
}

func (c *child) send(t *testing.T, o order) {
	t.Helper()
	require.NoError(t, json.NewEncoder(c.in).Encode(o))
}

// receive returns the next answer; ok is false if the child is gone.
func (c *child) receive(t *testing.T) (a answer, ok bool) {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		return answer{}, false
	}
	require.NoError(t, json.Unmarshal([]byte(line), &a), line)
	return a, true
}

func (c *child) stop() {
	_ = c.in.Close()
	_ = c.command.Wait()
}

// ask lets a process of its own answer one order.
func askChild(t *testing.T, store, effects, step string, o order) (answer, bool) {
	t.Helper()
	c := startChild(t, store, effects, step)
	defer c.stop()
	c.send(t, o)
	return c.receive(t)
}

func countEffects(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(t, err)
	return strings.Count(string(data), "\n")
}

// RunProcesses holds a store that outlives its process against races and crashes. name gives the name of a new, empty store;
// open is that of [Main].
func RunProcesses(t *testing.T, open func(ctx context.Context, name string) (approval.Store, error), name func(t *testing.T) string) {
	t.Helper()
	opened := func(t *testing.T) (string, string, *approval.Gate) {
		store := name(t)
		s, err := open(t.Context(), store)
		require.NoError(t, err)
		gate, _ := Open(t, s, approval.Options{}, &Shop{})
		return store, filepath.Join(t.TempDir(), "effects"), gate
	}
	t.Run("a request outlives its process", func(t *testing.T) {
		t.Parallel()
		store, effects, gate := opened(t)
		testRestart(t, store, effects, gate)
	})
	t.Run("eight processes race for one approval", func(t *testing.T) {
		t.Parallel()
		store, effects, gate := opened(t)
		testProcessRace(t, store, effects, gate)
	})
	for _, c := range crashes {
		t.Run("killed "+c.step, func(t *testing.T) {
			t.Parallel()
			store, effects, gate := opened(t)
			testCrash(t, store, effects, gate, c)
		})
	}
}

const processArgs = `{"order":"SO-1","pin":"4711"}`

func testRestart(t *testing.T, store, effects string, gate *approval.Gate) {
	asked, ok := askChild(t, store, effects, "", order{Args: processArgs})
	require.True(t, ok)
	require.Equal(t, cap.CodeConfirmationRequired, asked.Code)
	again, _ := askChild(t, store, effects, "", order{Args: processArgs})
	assert.Equal(t, asked.Approval, again.Approval, "another process joins the request")
	Approve(t, gate, asked.Approval, Boss)
	ran, _ := askChild(t, store, effects, "", order{Args: processArgs})
	assert.True(t, ran.Ran)
	replayed, _ := askChild(t, store, effects, "", order{Args: processArgs, Approval: asked.Approval})
	assert.True(t, replayed.Replayed)
	anew, _ := askChild(t, store, effects, "", order{Args: processArgs})
	assert.NotEqual(t, asked.Approval, anew.Approval)
	assert.Equal(t, 1, countEffects(t, effects))
	_, err := gate.Verify(t.Context())
	require.NoError(t, err)
}

// testProcessRace lets eight processes begin each of 25 approvals at the same time.
func testProcessRace(t *testing.T, store, effects string, gate *approval.Gate) {
	const processes, rounds = 8, 25
	children := make([]*child, processes)
	for i := range children {
		children[i] = startChild(t, store, effects, "")
		defer children[i].stop()
	}
	for round := range rounds {
		args := fmt.Sprintf(`{"order":"SO-%d","pin":"4711"}`, round)
		children[0].send(t, order{Args: args})
		asked, ok := children[0].receive(t)
		require.True(t, ok)
		Approve(t, gate, asked.Approval, Boss)
		for _, c := range children {
			c.send(t, order{Args: args, Approval: asked.Approval})
		}
		winners := 0
		for _, c := range children {
			a, ok := c.receive(t)
			require.True(t, ok)
			if a.Ran {
				winners++
			} else {
				assert.True(t, a.Replayed || a.Effect == cap.EffectUnknown, "round %d: %+v", round, a)
			}
		}
		assert.Equal(t, 1, winners, "round %d", round)
	}
	assert.Equal(t, rounds, countEffects(t, effects))
	_, err := gate.Verify(t.Context())
	require.NoError(t, err)
}

// crash is where a process is killed, and what the next one finds.
type crash struct {
	step    string
	effects int // after the next call
	next    answer
	state   cap.ApprovalState
}

var unknown = answer{Code: cap.CodeExecutionFailed, Effect: cap.EffectUnknown}

var crashes = []crash{
	{"inside begin", 1, answer{Ran: true}, cap.ApprovalSucceeded},
	{"after begin", 0, unknown, cap.ApprovalStarted},
	{"before the effect", 0, unknown, cap.ApprovalStarted},
	{"after the effect", 1, unknown, cap.ApprovalStarted},
	{"inside finish", 1, unknown, cap.ApprovalStarted},
	{"after finish", 1, answer{Replayed: true}, cap.ApprovalSucceeded},
}

func testCrash(t *testing.T, store, effects string, gate *approval.Gate, c crash) {
	asked, ok := askChild(t, store, effects, "", order{Args: processArgs})
	require.True(t, ok)
	Approve(t, gate, asked.Approval, Boss)
	_, ok = askChild(t, store, effects, c.step, order{Args: processArgs, Approval: asked.Approval})
	require.False(t, ok, "the process lived on")
	for range 2 {
		got, ok := askChild(t, store, effects, "", order{Args: processArgs, Approval: asked.Approval})
		require.True(t, ok)
		if c.next.Ran || c.next.Replayed {
			c.next.Approval = asked.Approval
		}
		assert.Equal(t, c.next, got)
		assert.Equal(t, c.effects, countEffects(t, effects))
		if c.next.Ran {
			c.next.Ran, c.next.Replayed = false, true
		}
	}
	shown, err := gate.Show(t.Context(), asked.Approval)
	require.NoError(t, err)
	assert.Equal(t, c.state, shown.State)
	_, err = gate.Verify(t.Context())
	require.NoError(t, err)
}
