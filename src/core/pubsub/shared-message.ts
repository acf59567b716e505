/** The maximum number of cached results per message; results of further operations are computed for each subscriber. */
const MAX_ANSWERS = 16;

/** A message that is the same for all subscribers who may read it. Its result for each operation is computed once. */
export abstract class SharedMessage {
  private readonly answers = new Map<string, unknown>();

  /** @param operation the cache key: the operation with its variables */
  answerOnce<A>(operation: string, make: () => A): A {
    if (this.answers.has(operation)) return this.answers.get(operation) as A;
    const answer = make();
    if (this.answers.size < MAX_ANSWERS) this.answers.set(operation, answer);
    return answer;
  }
}
