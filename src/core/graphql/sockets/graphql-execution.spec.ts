import { buildSchema, type GraphQLFieldResolver, isObjectType, parse } from 'graphql';
import { SharedMessage } from '../../pubsub/shared-message.js';
import { subscribeWithFreshContext } from './graphql-execution.js';
import type { SendResults } from './subscription-results.js';

class Message extends SharedMessage {
  readonly text = 'hello';
}

/** The responses to two subscribers of the same message. */
async function followTwice(
  resolve: GraphQLFieldResolver<Message, { caller: string }>,
  send?: SendResults,
): Promise<unknown[]> {
  const schema = buildSchema('type Query { a: Int } type Message { text: String } type Subscription { said: Message }');
  const [type, root] = [schema.getType('Message'), schema.getSubscriptionType()?.getFields()['said']];
  if (!isObjectType(type) || !root) throw new Error('the schema has no message');
  Object.assign(type.getFields()['text'] ?? {}, { resolve });
  Object.assign(root, { resolve: (said: Message) => said });
  const message = new Message();
  root.subscribe = async function* () {
    yield await Promise.resolve(message);
  };
  const answers: unknown[] = [];
  for (const caller of ['first', 'second']) {
    const args = { schema, document: parse('subscription { said { text } }'), contextValue: { caller } };
    const results = await subscribeWithFreshContext(args, () => ({ caller }), send);
    if (!(Symbol.asyncIterator in results)) continue;
    const result = (await results.next()) as IteratorResult<{ data: unknown }, undefined>;
    if (!result.done) answers.push(result.value.data);
  }
  return answers;
}

describe('a message that many follow', () => {
  it('is resolved once when its fields are plain', async () => {
    let resolved = 0;
    const [first, second] = await followTwice((message) => `${message.text} ${++resolved}`);
    expect(second).toEqual({ said: { text: 'hello 1' } });
    expect(second).toBe(first);
  });

  it('is resolved for each caller when a resolver may look at the caller', async () => {
    const answers = await followTwice((...[, , { caller }]) => caller);
    expect(answers).toEqual([{ said: { text: 'first' } }, { said: { text: 'second' } }]);
  });

  it('is sent as the same text to each of them', async () => {
    const sent: string[][] = [];
    const send = (results: string[]): Promise<void> => Promise.resolve(void sent.push(results));
    expect(await followTwice((message) => message.text, send)).toEqual([]);
    expect(sent).toEqual(Array(2).fill(['{"data":{"said":{"text":"hello"}}}']));
  });

  it('is returned and not sent when its answer has an error, is promised, or may differ', async () => {
    const send = (): Promise<void> => Promise.reject(new Error('sent'));
    const fail = (): never => {
      throw new Error('no text');
    };
    expect(await followTwice(fail, send)).toEqual(Array(2).fill({ said: { text: null } }));
    expect(await followTwice((message) => Promise.resolve(message.text), send)).toHaveLength(2);
    expect(await followTwice((...[, , { caller }]) => caller, send)).toHaveLength(2);
  });
});
