/** Operations whose answers one message keeps; those of further ones are made for each subscriber. */
const MAX_ANSWERS = 16;

/** A message that is the same for all who may read it: its answer to one operation is made once, however many follow. */
export abstract class SharedMessage {
  private readonly answers = new Map<string, unknown>();

  /** @param operation names the operation with its variables; the same name stands for the same answer */
  answerOnce<A>(operation: string, make: () => A): A {
    if (this.answers.has(operation)) return this.answers.get(operation) as A;
    const answer = make();
    if (this.answers.size < MAX_ANSWERS) this.answers.set(operation, answer);
    return answer;
  }
}
