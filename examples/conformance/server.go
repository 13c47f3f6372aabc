package main

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var noInput = json.RawMessage(`{"type":"object","properties":{}}`)

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// addTools adds the tools that change the server, or whose schema no Go type has.
func addTools(server *mcp.Server) {
	server.AddTool(&mcp.Tool{
		Name: "json_schema_2020_12_tool", Description: "Has a schema with much of the vocabulary of 2020-12",
		InputSchema: json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
			`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
			`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},` +
			`"phone":{"type":"string"},"email":{"type":"string"}},` +
			`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
			`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},` +
			`"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`),
	}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text("called with " + string(req.Params.Arguments)), nil
	})
	server.AddTool(&mcp.Tool{Name: "test_missing_capability", Description: "Needs a client that samples", InputSchema: noInput}, needSampling)
	server.AddTool(&mcp.Tool{Name: "test_trigger_tool_change", Description: "Changes the list of tools", InputSchema: noInput}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		server.AddTool(&mcp.Tool{Name: "transient_tool", Description: "Comes and goes", InputSchema: noInput}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("here"), nil
		})
		return text("the list of tools has changed"), nil
	})
	server.AddTool(&mcp.Tool{Name: "test_trigger_prompt_change", Description: "Changes the list of prompts", InputSchema: noInput}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		server.AddPrompt(&mcp.Prompt{Name: "transient_prompt", Description: "Comes and goes"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return prompt("here"), nil
		})
		return text("the list of prompts has changed"), nil
	})
}

func needSampling(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if c := req.ClientCapabilities(); c != nil && c.Sampling != nil { //nolint:staticcheck // SA1019: the suite asks for it
		return text("the client samples"), nil
	}
	return nil, &jsonrpc.Error{
		Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample",
		Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`),
	}
}

const watched = "test://watched-resource"

func addResources(server *mcp.Server) {
	server.AddResource(&mcp.Resource{Name: "static-text", Description: "A text", MIMEType: "text/plain", URI: "test://static-text"}, readText("This is the content of the static text resource."))
	server.AddResource(&mcp.Resource{Name: "watched-resource", Description: "A text that is touched every three seconds", MIMEType: "text/plain", URI: watched}, readText("Watched resource content"))
	server.AddResource(&mcp.Resource{Name: "static-binary", Description: "A picture", MIMEType: "image/png", URI: "test://static-binary"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		image, err := redPixel()
		return contents(&mcp.ResourceContents{URI: req.Params.URI, MIMEType: "image/png", Blob: image}), err
	})
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", Description: "Data by id", MIMEType: "application/json", URITemplate: "test://template/{id}/data"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
		data, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
		return contents(&mcp.ResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: string(data)}), err
	})
}

func readText(s string) mcp.ResourceHandler {
	return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return contents(&mcp.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: s}), nil
	}
}

func contents(c *mcp.ResourceContents) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}
}

// touchResource tells subscribers that a resource has changed, until ctx ends.
func touchResource(ctx context.Context, server *mcp.Server) {
	ticker := time.NewTicker(3 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: watched})
		}
	}
}

func prompt(contents ...string) *mcp.GetPromptResult {
	result := &mcp.GetPromptResult{}
	for _, s := range contents {
		result.Messages = append(result.Messages, message(&mcp.TextContent{Text: s}))
	}
	return result
}

func message(content mcp.Content) *mcp.PromptMessage {
	return &mcp.PromptMessage{Role: "user", Content: content}
}

func addPrompts(server *mcp.Server) {
	server.AddPrompt(&mcp.Prompt{Name: "test_simple_prompt", Description: "Says one thing"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return prompt("This is a simple prompt for testing."), nil
	})
	server.AddPrompt(&mcp.Prompt{
		Name: "test_prompt_with_arguments", Description: "Says what it is given",
		Arguments: []*mcp.PromptArgument{{Name: "arg1", Description: "First", Required: true}, {Name: "arg2", Description: "Second", Required: true}},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return prompt("Prompt with arguments: arg1='" + req.Params.Arguments["arg1"] + "', arg2='" + req.Params.Arguments["arg2"] + "'"), nil
	})
	server.AddPrompt(&mcp.Prompt{
		Name: "test_prompt_with_embedded_resource", Description: "Holds a resource",
		Arguments: []*mcp.PromptArgument{{Name: "resourceUri", Description: "Its address", Required: true}},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		result := prompt("Please process the embedded resource above.")
		resource := &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: req.Params.Arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}}
		result.Messages = append([]*mcp.PromptMessage{message(resource)}, result.Messages...)
		return result, nil
	})
	server.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_image", Description: "Holds a picture"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		image, err := redPixel()
		result := prompt("Please analyze the image above.")
		result.Messages = append([]*mcp.PromptMessage{message(&mcp.ImageContent{Data: image, MIMEType: "image/png"})}, result.Messages...)
		return result, err
	})
	server.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "Asks before it answers"}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if given := accepted(req.Params.InputResponses, "user_context"); given != nil {
			return prompt("Context: " + given["context"]), nil
		}
		return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": form("Please provide context for the prompt", "context")}}, nil
	})
}
