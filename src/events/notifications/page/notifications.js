// Lists the notifications of who signs in. The tokens are in memory only, and the session ends with the page.
const get = (id) => document.getElementById(id);
const [form] = document.forms;
const alert = form.querySelector('[role=alert]');
const api = `${form.dataset.root}api/`;
const FREQUENCIES = { off: 'no mail', realtime: 'at once', hourly: 'every hour', daily: 'every day' };
let session = null;
let cursor = '';

/** @throws Error with what the API said */
async function call(method, path, body, options = {}) {
  const headers = { 'Content-Type': 'application/json' };
  if (session) headers.Authorization = `Bearer ${session.access_token}`;
  const request = { method, headers, body: body && JSON.stringify(body), ...options };
  const response = await fetch(api + path, request).catch(() => null);
  if (!response) throw new Error('The server cannot be reached. Try again later.');
  const content = await response.json().catch(() => ({}));
  if (response.ok) return content;
  if (response.status === 401) show(null);
  throw new Error(content.detail ?? `The server responded with ${response.status}.`);
}

function show(next) {
  session = next;
  form.hidden = session !== null;
  get('signed-in').hidden = session === null;
  for (const id of ['list', 'categories']) get(id).replaceChildren();
}

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function showUnread(count) {
  get('count').textContent = `${count} unread`;
  get('read').hidden = count === 0;
}

function toItem({ description, created_at, severity, status }) {
  const item = element('li', undefined, status === 'unread' ? { 'data-unread': '' } : {});
  const time = element('time', new Date(created_at).toLocaleString(), { datetime: created_at });
  const small = element('small');
  small.append(time, severity === 'informational' ? '' : `, ${severity}`);
  item.append(element('strong', description), small);
  return item;
}

async function showMore() {
  const page = await call('GET', `notifications?pagesize=25&cursor=${encodeURIComponent(cursor)}`);
  get('list').append(...page.notifications.map(toItem));
  showUnread(page.unread_count);
  cursor = page.next_cursor ?? '';
  get('more').hidden = cursor === '';
}

function toSetting([category, { email }]) {
  const label = element('label', `${category} `);
  const select = element('select');
  for (const [value, text] of Object.entries(FREQUENCIES)) select.append(element('option', text, { value }));
  select.value = email;
  select.addEventListener('change', () =>
    attempt(async () => {
      get('saved').textContent = '';
      await call('PUT', 'identity/users/notifications', { categories: { [category]: { email: select.value } } });
      get('saved').textContent = `Saved: ${category}, ${FREQUENCIES[select.value]}.`;
    }),
  );
  label.append(select);
  return label;
}

async function showSettings() {
  const { categories, email_enabled } = await call('GET', 'identity/users/notifications');
  get('no-mail').hidden = email_enabled;
  get('categories').replaceChildren(...Object.entries(categories).map(toSetting));
  if (location.hash === '#settings') get('settings').scrollIntoView();
}

/** Shows the error where the user is. */
async function attempt(work) {
  alert.textContent = '';
  try {
    await work();
  } catch (error) {
    if (session) get('count').textContent = error.message;
    else alert.textContent = error.message;
  }
}

async function signOut(options) {
  const { refresh_token } = session ?? {};
  const ended = refresh_token && call('POST', 'auth/logout', { refresh_token }, options);
  show(null);
  await ended;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void attempt(async () => {
    const fields = Object.fromEntries(new FormData(form));
    const made = await call('POST', 'auth/login', fields);
    form.reset();
    show(made);
    cursor = '';
    await showMore();
    await showSettings();
  });
});
get('more').addEventListener('click', () => attempt(showMore));
get('read').addEventListener('click', () =>
  attempt(async () => {
    showUnread((await call('PUT', 'notifications', { all: true })).unread_count);
    for (const item of get('list').children) delete item.dataset.unread;
  }),
);
get('sign-out').addEventListener('click', () => attempt(() => signOut()));
addEventListener('pagehide', () => void signOut({ keepalive: true }).catch(() => undefined));
