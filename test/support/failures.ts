import { Failure } from "../../src/domain/failure.ts";

/** For `assert.rejects`: a Failure of this code and, where it is given, with this outcome. */
export function isFailure(code: string, ran?: string): (error: unknown) => boolean {
  return (error) =>
    error instanceof Failure && error.code === code && (ran === undefined || error.ran === ran);
}
