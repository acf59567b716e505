import { SharedMessage } from './shared-message.js';

class Message extends SharedMessage {}

describe('a message that is shared', () => {
  it('is answered once for each operation, and keeps the answers to 16 operations', () => {
    const message = new Message();
    const answer = (operation: number) => message.answerOnce(`${operation}`, () => ({ operation }));
    for (let operation = 0; operation < 17; operation++) answer(operation);
    expect(answer(3)).toBe(answer(3));
    expect(answer(3)).toEqual({ operation: 3 });
    expect(answer(16)).not.toBe(answer(16));
    expect(answer(16)).toEqual({ operation: 16 });
  });
});
