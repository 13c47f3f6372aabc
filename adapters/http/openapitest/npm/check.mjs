// Holds OpenAPI documents against two validators of the npm registry.
import SwaggerParser from "@apidevtools/swagger-parser";
import { Validator } from "@seriousme/openapi-schema-validator";

let faults = 0;
for (const file of process.argv.slice(2)) {
  const { valid, errors } = await new Validator().validate(file);
  if (!valid) {
    faults++;
    console.error(`${file}: ${JSON.stringify(errors)}`);
  }
  try {
    await SwaggerParser.validate(file);
  } catch (error) {
    faults++;
    console.error(`${file}: ${error}`);
  }
}
process.exit(faults ? 1 : 0);
