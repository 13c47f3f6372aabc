package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addAskingTools adds the tools that ask the client something. A capability never does: what it needs to know stands in its
// contract, and agreements are the business of the gate.
func addAskingTools(server *mcp.Server) {
	seal := newSeal()
	add := func(name, description string, handler mcp.ToolHandler) {
		server.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: noInput}, handler)
	}
	server.AddTool(&mcp.Tool{
		Name: "test_elicitation", Description: "Asks for a name over a session",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"message":{"type":"string","description":"What to ask"}},"required":["message"]}`),
	}, askOverSession(json.RawMessage(`{"type":"object","properties":{"username":{"type":"string","description":"Your preferred username"}},"required":["username"]}`)))
	add("test_elicitation_sep1034_defaults", "Asks with defaults", askOverSession(json.RawMessage(defaultsForm)))
	add("test_elicitation_sep1330_enums", "Asks with choices", askOverSession(json.RawMessage(choicesForm)))
	add("test_input_required_result_elicitation", "Asks for a name", askForName)
	add("test_input_required_result_capabilities", "Asks what the client can be asked", askWhatIsPossible)
	add("test_input_required_result_request_state", "Asks, and remembers in the client's hands", seal.askToConfirm)
	add("test_input_required_result_tampered_state", "Asks, and notices when its memory was changed", seal.askToConfirm)
	add("test_input_required_result_multi_round", "Asks twice", seal.askTwice)
}

const defaultsForm = `{"type":"object","properties":{"name":{"type":"string","description":"User name","default":"John Doe"},` +
	`"age":{"type":"integer","description":"User age","default":30},"score":{"type":"number","description":"User score","default":95.5},` +
	`"status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},` +
	`"verified":{"type":"boolean","description":"Verification status","default":true}}}`

const choicesForm = `{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},` +
	`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},` +
	`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},` +
	`"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},` +
	`"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","anyOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]}}}}`

// askOverSession asks in the era of sessions: the server sends a request of its own.
func askOverSession(schema json.RawMessage) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Please answer", RequestedSchema: schema})
		if err != nil {
			return &mcp.CallToolResult{IsError: true, Content: text("the client could not be asked").Content}, nil
		}
		content, err := json.Marshal(result.Content)
		return text(fmt.Sprintf("Elicitation result: action=%s, content=%s", result.Action, content)), err
	}
}

// form asks for one string.
func form(message, field string) *mcp.ElicitParams {
	schema := fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string"}},"required":[%q]}`, field, field)
	return &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)}
}

// accepted gives the strings of a form that was filled in, or nil.
func accepted(responses mcp.InputResponseMap, name string) map[string]string {
	result, ok := responses[name].(*mcp.ElicitResult)
	if !ok || result == nil || result.Action != "accept" || result.Content == nil {
		return nil
	}
	given := make(map[string]string)
	for field, value := range result.Content {
		if s, isString := value.(string); isString {
			given[field] = s
		}
	}
	return given
}

func askForName(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if name := accepted(req.Params.InputResponses, "user_name")["name"]; name != "" {
		return text("Hello, " + name + "!"), nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"user_name": form("What is your name?", "name")}}, nil
}

func askWhatIsPossible(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return text("thank you"), nil
	}
	if c := req.ClientCapabilities(); c != nil && c.Elicitation != nil {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"user_name": form("What is your name?", "name")}}, nil
	}
	return text("the client cannot be asked"), nil
}

// seal keeps what a tool wants to remember, in the client's hands.
type seal struct{ key []byte }

func newSeal() *seal { return &seal{key: []byte(rand.Text())} }

func (s *seal) sign(state string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(state))
	return state + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// read gives back what was signed. What somebody has changed is refused.
func (s *seal) read(signed string) (string, error) {
	i := strings.LastIndexByte(signed, '.')
	if i < 0 || !hmac.Equal([]byte(s.sign(signed[:i])), []byte(signed)) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState was changed"}
	}
	return signed[:i], nil
}

func (s *seal) askToConfirm(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Params.RequestState != "" {
		if _, err := s.read(req.Params.RequestState); err != nil {
			return nil, err
		}
		if accepted(req.Params.InputResponses, "confirm") != nil {
			return text("state-ok: requestState received and confirmation accepted"), nil
		}
	}
	question := &mcp.ElicitParams{Message: "Please confirm", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`)}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"confirm": question}, RequestState: s.sign("confirm")}, nil
}

func (s *seal) askTwice(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Params.RequestState == "" {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"step1": form("Step 1: What is your name?", "name")}, RequestState: s.sign("first")}, nil
	}
	state, err := s.read(req.Params.RequestState)
	if err != nil {
		return nil, err
	}
	if name, second := strings.CutPrefix(state, "second:"); second {
		return text("Multi-round complete: " + name + " likes " + accepted(req.Params.InputResponses, "step2")["color"]), nil
	}
	name := accepted(req.Params.InputResponses, "step1")["name"]
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"step2": form("Step 2: What is your favorite color?", "color")}, RequestState: s.sign("second:" + name)}, nil
}
