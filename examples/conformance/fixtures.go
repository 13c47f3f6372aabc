package main

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/seed-369ec62e/cap"
)

// Fixtures is the service whose capabilities are the suite's tools. The suite fixes their names and what they answer.
type Fixtures struct {
	_ cap.Service `cap:"Fixtures of the conformance suite; access=public"`
}

// TestSimpleText answers with words.
type TestSimpleText struct {
	cap.Read[Words] `cap:"Answer with words"`

	Unused string `json:"unused,omitempty" cap:"Nothing"`
}

// Words is an output that is read as it stands.
type Words struct {
	Text string `json:"text" cap:"What is said" mcp:"text"`
}

// TestSimpleText implements the capability.
func (*Fixtures) TestSimpleText(context.Context, TestSimpleText) (Words, error) {
	return Words{Text: "This is a simple text response for testing."}, nil
}

// Greet is what the scenarios of tasks call beside their tasks: a tool without any.
type Greet struct {
	cap.Read[Words] `cap:"Greet somebody"`

	Name string `json:"name" cap:"Who is greeted"`
}

// Greet implements the capability.
func (*Fixtures) Greet(_ context.Context, in Greet) (Words, error) {
	return Words{Text: "Hello, " + in.Name + "!"}, nil
}

// TestImageContent answers with a picture.
type TestImageContent struct {
	cap.Read[Picture] `cap:"Answer with a picture" mcp:"structured"`

	Unused string `json:"unused,omitempty" cap:"Nothing"`
}

// Picture is an output that is shown.
type Picture struct {
	Image []byte `json:"image" cap:"The picture" mcp:"image=image/png"`
}

// TestImageContent implements the capability.
func (*Fixtures) TestImageContent(context.Context, TestImageContent) (Picture, error) {
	image, err := redPixel()
	return Picture{Image: image}, err
}

// TestAudioContent answers with a sound.
type TestAudioContent struct {
	cap.Read[Sound] `cap:"Answer with a sound"`

	Unused string `json:"unused,omitempty" cap:"Nothing"`
}

// Sound is an output that is heard.
type Sound struct {
	Audio []byte `json:"audio" cap:"The sound" mcp:"audio=audio/wav"`
}

// TestAudioContent implements the capability.
func (*Fixtures) TestAudioContent(context.Context, TestAudioContent) (Sound, error) {
	audio, err := base64.StdEncoding.DecodeString("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
	return Sound{Audio: audio}, err
}

// TestEmbeddedResource answers with a resource.
type TestEmbeddedResource struct {
	cap.Read[Embedded] `cap:"Answer with a resource"`

	Unused string `json:"unused,omitempty" cap:"Nothing"`
}

// Embedded is an output that is a resource.
type Embedded struct {
	Resource Resource `json:"resource" cap:"The resource" mcp:"resource"`
}

// Resource is a text with an address.
type Resource struct {
	URI      string `json:"uri"      cap:"Its address"`
	MIMEType string `json:"mimeType" cap:"Its type"`
	Text     string `json:"text"     cap:"Its text"`
}

// TestEmbeddedResource implements the capability.
func (*Fixtures) TestEmbeddedResource(context.Context, TestEmbeddedResource) (Embedded, error) {
	return Embedded{Resource{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."}}, nil
}

// TestMultipleContentTypes answers with words, a picture and a resource.
type TestMultipleContentTypes struct {
	cap.Read[Mixed] `cap:"Answer with several contents"`

	Unused string `json:"unused,omitempty" cap:"Nothing"`
}

// Mixed is an output of several contents.
type Mixed struct {
	Text     string   `json:"text"     cap:"What is said" mcp:"text"`
	Image    []byte   `json:"image"    cap:"The picture"  mcp:"image=image/png"`
	Resource Resource `json:"resource" cap:"The resource" mcp:"resource"`
}

// TestMultipleContentTypes implements the capability.
func (*Fixtures) TestMultipleContentTypes(context.Context, TestMultipleContentTypes) (Mixed, error) {
	image, err := redPixel()
	return Mixed{
		Text: "Multiple content types test:", Image: image,
		Resource: Resource{URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`},
	}, err
}

// TestErrorHandling fails as it declares.
type TestErrorHandling struct {
	cap.Read[cap.None] `cap:"Fail"`

	_ cap.Fails[Intended]

	Unused string `json:"unused,omitempty" cap:"Nothing"`
}

// Intended is the failure that the suite asks for.
type Intended struct {
	_ cap.Failure `cap:"It was asked for; fix=Call another tool."`
}

func (Intended) Error() string { return "This tool intentionally returns an error for testing" }

// TestErrorHandling implements the capability.
func (*Fixtures) TestErrorHandling(context.Context, TestErrorHandling) (cap.None, error) {
	return cap.None{}, Intended{}
}

// TestToolWithProgress reports progress.
type TestToolWithProgress struct {
	cap.Read[Words] `cap:"Report progress"`

	Unused string `json:"unused,omitempty" cap:"Nothing"`
}

// TestToolWithProgress implements the capability.
func (*Fixtures) TestToolWithProgress(ctx context.Context, _ TestToolWithProgress) (Words, error) {
	for _, done := range []float64{0, 50, 100} {
		cap.Progress(ctx, done, 100, "Completed a step")
		// Work takes time. The TypeScript SDK loses reports that come in one piece with the answer.
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return Words{}, ctx.Err()
		}
	}
	return Words{Text: "done"}, nil
}

// TestXMCPHeader takes an argument that clients repeat in a header.
type TestXMCPHeader struct {
	cap.Read[Words] `cap:"Take a region; name=test_x_mcp_header"`

	Region string `json:"region,omitempty" cap:"Repeated in Mcp-Param-Region" mcp:"header=Region"`
	Level  int    `json:"level,omitempty"  cap:"Not repeated"`
}

// TestXMCPHeader implements the capability.
func (*Fixtures) TestXMCPHeader(_ context.Context, in TestXMCPHeader) (Words, error) {
	return Words{Text: "region=" + in.Region}, nil
}

// TestStreamingElicitation is a plain call: in the era without sessions a stream holds no requests.
type TestStreamingElicitation struct {
	cap.Read[Words] `cap:"Answer plainly, whatever the client asks for"`

	Unused string `json:"unused,omitempty" cap:"Nothing"`
}

// TestStreamingElicitation implements the capability.
func (*Fixtures) TestStreamingElicitation(context.Context, TestStreamingElicitation) (Words, error) {
	return Words{Text: "a result, and no requests before it"}, nil
}

// TestLoggingTool is a plain call: no log reaches a client that has not asked for one.
type TestLoggingTool struct {
	cap.Read[Words] `cap:"Answer plainly, and log nothing to the client"`

	Unused string `json:"unused,omitempty" cap:"Nothing"`
}

// TestLoggingTool implements the capability.
func (*Fixtures) TestLoggingTool(context.Context, TestLoggingTool) (Words, error) {
	return Words{Text: "nothing was logged to the client"}, nil
}

func redPixel() ([]byte, error) {
	return base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
}
