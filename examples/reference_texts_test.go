package examples

// The words between the tables of docs/tags.md and docs/errors.md.

const tagsIntroduction = `Three struct tags are read: ` + "`json`, `validate` and `cap`" + `. A ` + "`cap`" + ` tag has the form

    cap:"<description>; <option>; <key>=<value>"

The first item is always the description; it may be empty. A literal semicolon is written ` + "`\\\\;`" + ` in a struct tag. Whatever is not understood is a problem,
reported when the service is registered, together with all others. A tag that Go's own lookup would cut short is one as well, so that no rule is lost in silence.

A field may be left out if its json tag has ` + "`omitempty` or `omitzero`" + `, if it has a ` + "`default=`" + `, or if its type is ` + "`cap.Maybe`" + `. Every other
field must be there. A pointer that must be there takes null; one that may be left out does not.
`

const tagsOfFronts = `
## Keys of the fronts

Each front reads a key of its own, as strictly, when it is made. Any front of yours can do the same with ` + "`Field.Tag` and `Capability.Tag`" + `.

| on | tag | means |
|---|---|---|
| marker | ` + "`http:\"GET /orders/{order}\"`" + ` | a path of its own; see [http.md](http.md) |
| marker | ` + "`http:\"POST /orders,idempotency=required\"`" + ` | callers must send an Idempotency-Key |
| marker | ` + "`http:\"POST /notes,maxbody=65536\"`" + ` | how many bytes the body may have; ` + "`Options.MaxBody`" + ` without it |
| failure | ` + "`http:\"status=409\"`" + ` | its status; 422 without it |
| field | ` + "`http:\"header=X-Region\"`" + ` | comes in a header |
| marker | ` + "`cli:\"name=ship,group=orders\"`" + ` | the command ` + "`orders ship`" + `; see [cli.md](cli.md) |
| field | ` + "`cli:\"arg\"`, `cli:\"short=o,env=ORDER\"`, `cli:\"flag=number\"`, `cli:\"-\"`" + ` | an argument; a short flag and a variable; another flag; none |
| marker | ` + "`mcp:\"-\"`, `mcp:\"structured\"`" + ` | no tool; no output as text; see [mcp.md](mcp.md) |
| field | ` + "`mcp:\"header=Region\"`" + ` | clients repeat it in a header, for proxies |
| field | ` + "`mcp:\"image=image/png\"`, `mcp:\"audio=audio/wav\"`, `mcp:\"text\"`, `mcp:\"resource\"`" + ` | contents that agents are shown |
`

const rulesIntroduction = `The rules are those of [validator](https://github.com/go-playground/validator), with its names, and what you register with your own instance
(` + "`cap.Options.Validator`" + `). The last column says how a JSON Schema stands to a rule: *exact*, keywords accept what the rule accepts; *wider*, they accept more;
*opaque*, they say nothing of use. Rules that are not exact are named in ` + "`x-cap-rules`" + ` and in the field's description. Rules that look at files, hosts or the
network are problems. The parameters below are examples.
`

const errorsIntroduction = `A call that does not answer ends with a ` + "`*cap.Error`" + `. Its code and message are the same on every front, and everything exported in it is safe to send. What went
wrong inside stays behind ` + "`Unwrap`" + `, for callers in process, and in the log, under the request id.
`

const afterCodes = `
The message of CAPABILITY_FAILED is the failure's own; ` + "`tag`, `reason`, `fix` and `failure`" + ` say which one it is, and ` + "`http:\"status=…\"`" + ` on the failure
gives it a status. CANCELLED has a reason: ` + "`timeout`, `caller`" + `, or over HTTP ` + "`shutdown`" + ` (503). ` + "`effect: unknown`" + ` stands beside CANCELLED, OUTPUT_INVALID and
EXECUTION_FAILED where the handler of a Write or Host had started: do not repeat such a call blindly.
`
