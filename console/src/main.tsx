import { render } from 'preact';
import { App } from './app.js';
import { refresh } from './api.js';
import { followLinks } from './router.js';
import { startSession } from './session.js';

followLinks();
addEventListener('online', () => refresh());
void startSession();
render(<App />, document.body);
