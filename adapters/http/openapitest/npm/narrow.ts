// Compiles only if the members of a failure can be reached once its type is known, and only then.
import type { operations, paths } from "./build/market";

type Conflict = paths["/stalls/{stall}"]["get"]["responses"][409]["content"]["application/problem+json"];

export function tell(problem: Conflict): string {
  switch (problem.type) {
    case "urn:cap:problem:CAPABILITY_FAILED:StallMoved":
      return problem.failure.to;
    case "urn:cap:problem:CAPABILITY_FAILED:StallClosed":
      return problem.failure.until;
    default: {
      const none: never = problem;
      return none;
    }
  }
}

// @ts-expect-error a failure that is not declared
export const undeclared: Conflict["type"] = "urn:cap:problem:CAPABILITY_FAILED:StallBurnt";

export const input: operations["find_stall"]["requestBody"]["content"]["application/json"] = { stall: "north", depth: 1 };
