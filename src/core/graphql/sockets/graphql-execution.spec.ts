import { buildSchema, type GraphQLFieldResolver, isObjectType, parse } from 'graphql';
import { SharedMessage } from '../../pubsub/shared-message.js';
import { subscribeWithFreshContext } from './graphql-execution.js';

class Message extends SharedMessage {
  readonly text = 'hello';
}

/** What two callers are answered when both follow the same message. */
async function followTwice(resolve: GraphQLFieldResolver<Message, { caller: string }>): Promise<unknown[]> {
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
    const results = await subscribeWithFreshContext(args, () => ({ caller }));
    if (Symbol.asyncIterator in results) answers.push(((await results.next()).value as { data: unknown }).data);
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
});
