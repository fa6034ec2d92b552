'use strict';

/** The key is held for this tab only and goes nowhere but to this origin. */
const keyName = 'interactions.key';
const view = document.getElementById('view');
const notice = document.getElementById('notice');
const forget = document.getElementById('forget');

const kinds = {
  request_information: 'Information',
  request_approval: 'Approval',
  request_review: 'Review',
  assign_work: 'Work',
};
const statuses = {
  pending: 'Open',
  in_review: 'In review',
  completed: 'Answered',
  expired: 'Expired',
  cancelled: 'Dismissed',
};

/** Makes an element. Text from the service only ever becomes text. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute.startsWith('on')) made.addEventListener(attribute.slice(2), value);
    else if (value === true) made.setAttribute(attribute, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(attribute, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function show(...children) {
  view.replaceChildren(...children);
}

function say(text) {
  notice.textContent = text;
}

function time(text) {
  return element('time', { datetime: text }, new Date(text).toLocaleString());
}

class Refused extends Error {
  constructor(status, error) {
    super(error.message ?? 'The service did not answer.');
    this.status = status;
    this.code = error.code ?? '';
    this.details = error.details ?? {};
  }
}

/** One call; the service has half a minute, so that no wait is without an end. */
async function api(method, path, body) {
  let response;
  let answer;
  try {
    response = await fetch(path, {
      method,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(30_000),
      headers: {
        authorization: `Bearer ${sessionStorage.getItem(keyName) ?? ''}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    answer = response.ok ? await response.json() : await response.json().catch(() => ({}));
  } catch {
    throw new Refused(0, { message: 'The service cannot be reached. Try again.' });
  }
  if (!response.ok) throw new Refused(response.status, answer.error ?? {});
  return answer;
}

/** Asks for a key, keeps it for this tab, and goes on. */
function askForKey(goOn, reason) {
  forget.hidden = true;
  sessionStorage.removeItem(keyName);
  const problem = element('p', { id: 'key-problem', class: 'wrong', hidden: reason === undefined }, reason ?? '');
  const input = element('input', {
    id: 'key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'off',
    required: true,
    'aria-describedby': 'key-hint key-problem',
    'aria-invalid': reason === undefined ? null : 'true',
  });
  const form = element(
    'form',
    {
      class: 'card',
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        const key = input.value.trim();
        if (!/^[\x21-\x7e]+$/.test(key)) {
          problem.hidden = false;
          problem.textContent = 'Enter your key, without blanks.';
          input.setAttribute('aria-invalid', 'true');
          input.focus();
          return;
        }
        sessionStorage.setItem(keyName, key);
        goOn();
      },
    },
    element('h1', {}, 'Your key'),
    element(
      'p',
      { id: 'key-hint', class: 'soft' },
      'It is kept in this tab until you close it, and is sent to this service only.',
    ),
    element('label', { for: 'key' }, 'API key'),
    input,
    problem,
    element('div', { class: 'row' }, element('button', { type: 'submit' }, 'Continue')),
  );
  show(form);
  input.focus();
}

function showFailure({ status, message }) {
  show(
    element(
      'div',
      { class: 'card' },
      element('h1', {}, status === 404 ? 'Not found' : 'That did not work'),
      element('p', { role: 'alert' }, message),
    ),
  );
}

/** Runs a page's work; a key that opens nothing is asked for again. */
async function withKey(work) {
  const start = async () => {
    forget.hidden = false;
    say('Loading…');
    try {
      await work();
      if (notice.textContent === 'Loading…') say('');
    } catch (error) {
      say('');
      if (!(error instanceof Refused)) throw error;
      if (error.status === 401) askForKey(start, 'This key is not accepted.');
      else showFailure(error);
    }
  };
  forget.addEventListener('click', () => {
    say('The key is forgotten.');
    askForKey(start);
  });
  if (sessionStorage.getItem(keyName)) await start();
  else askForKey(start);
}
