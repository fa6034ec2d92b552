const interactionId = decodeURIComponent(location.pathname.split('/')[2] ?? '');
const path = `/v1/interactions/${encodeURIComponent(interactionId)}`;
const listedOptionsMax = 12;
/**
 * How often an open request is looked at while its tab is seen; after faults ever more seldom, up to the longest wait.
 */
const lookEveryMs = 3_000;
const lookSeldomMs = 60_000;

/** What is shown: the request, the form's part of it, and whose key it is. */
let shown = null;
let me = null;
/** Counts what was shown or sent; a look that began before the last one is out of date. */
let version = 0;
let sending = false;
let lookTimer;
let lookWait = lookEveryMs;

/** One question as a group of fields: its element, what it answers now, and a place for what is wrong. */
function questionField(question, place) {
  const name = `q${place}`;
  const problem = element('p', { id: `${name}-problem`, class: 'wrong', hidden: true });
  const fields = { confirm: confirmFields, select: selectFields, multi_select: multiSelectFields, input: inputFields }[
    question.mode
  ](question, name);
  const group = element(
    'fieldset',
    { id: name, 'aria-describedby': problem.id },
    element(
      'legend',
      {},
      question.prompt,
      ...(question.required ? [] : [' ', element('span', { class: 'soft' }, '(optional)')]),
    ),
    ...fields.elements,
    problem,
  );
  return {
    id: question.id,
    group,
    answer: () => {
      const content = fields.content();
      return content === null ? null : { question_id: question.id, ...content };
    },
    mark(message) {
      problem.hidden = message === null;
      problem.textContent = message === null ? '' : `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
      for (const input of group.querySelectorAll('input, textarea, select')) {
        if (message === null) input.removeAttribute('aria-invalid');
        else input.setAttribute('aria-invalid', 'true');
      }
    },
    focus: () => {
      group.querySelector('input, textarea, select').focus();
    },
  };
}

function choice(type, name, value, label, { checked = false, description } = {}) {
  const input = element('input', { type, name, value, checked });
  const text = element(
    'span',
    {},
    label,
    ...(description ? [element('br'), element('span', { class: 'soft' }, description)] : []),
  );
  return { input, element: element('label', { class: 'choice' }, input, text) };
}

function confirmFields({ default_confirmed: preset }, name) {
  const yes = choice('radio', name, 'approved', 'Approve', { checked: preset === true });
  const no = choice('radio', name, 'rejected', 'Reject', { checked: preset === false });
  return {
    elements: [yes.element, no.element],
    content: () => (yes.input.checked ? { value: 'approved' } : no.input.checked ? { value: 'rejected' } : null),
  };
}

/** The free text beside the options. */
function otherFields(type, name) {
  const picked = choice(type, name, '', 'Other');
  const text = element('input', {
    type: 'text',
    maxlength: '4096',
    'aria-label': 'Other',
    placeholder: 'Other…',
    oninput: () => {
      if (text.value !== '') picked.input.checked = true;
    },
  });
  return { picked, text, elements: [picked.element, text] };
}

function selectFields({ options, allow_other: allowOther, default_value: preset, required }, name) {
  if (options.length > listedOptionsMax && !allowOther) {
    const select = element(
      'select',
      { 'aria-labelledby': name },
      element('option', { value: '' }, required ? 'Choose…' : 'No answer'),
      ...options.map(({ value, label }, place) =>
        element('option', { value: String(place + 1), selected: value === preset }, label),
      ),
    );
    return {
      elements: [select],
      content: () => (select.value === '' ? null : { value: options[Number(select.value) - 1].value }),
    };
  }
  const choices = options.map(({ value, label, description }) =>
    choice('radio', name, value, label, { checked: value === preset, description }),
  );
  const other = allowOther ? otherFields('radio', name) : null;
  return {
    elements: [...choices.map((one) => one.element), ...(other?.elements ?? [])],
    content() {
      const place = choices.findIndex(({ input }) => input.checked);
      if (place >= 0) return { value: options[place].value };
      return other?.picked.input.checked ? { other: other.text.value } : null;
    },
  };
}

function multiSelectFields(
  { options, allow_other: allowOther, default_values: presets = [], min_selections: min, max_selections: max },
  name,
) {
  const choices = options.map(({ value, label, description }) =>
    choice('checkbox', name, value, label, { checked: presets.includes(value), description }),
  );
  const other = allowOther ? otherFields('checkbox', name) : null;
  const bounds = [...(min ? [`at least ${min}`] : []), ...(max ? [`at most ${max}`] : [])];
  return {
    elements: [
      ...(bounds.length > 0 ? [element('p', { class: 'soft' }, `Choose ${bounds.join(', ')}.`)] : []),
      ...choices.map((one) => one.element),
      ...(other?.elements ?? []),
    ],
    content() {
      const values = options.filter((_option, place) => choices[place].input.checked).map(({ value }) => value);
      const hasOther = other?.picked.input.checked === true;
      if (values.length === 0 && !hasOther) return null;
      return { values, ...(hasOther && { other: other.text.value }) };
    },
  };
}

function inputFields({ prompt, multiline, placeholder, default_text: preset = '' }) {
  const input = multiline
    ? element('textarea', { 'aria-label': prompt, placeholder })
    : element('input', { type: 'text', 'aria-label': prompt, placeholder });
  input.defaultValue = preset;
  return { elements: [input], content: () => (input.value === '' ? null : { text: input.value }) };
}

/** The answer in the words of the form. */
function spoken({ options = [], mode }, answer) {
  if (!answer) return 'No answer';
  if (mode === 'confirm') return answer.value === 'approved' ? 'Approved' : 'Rejected';
  const label = (value) => options.find((option) => option.value === value)?.label ?? value;
  return [
    ...(answer.value === undefined ? [] : [label(answer.value)]),
    ...(answer.values ?? []).map(label),
    answer.other,
    answer.text,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

function heading({ title, kind, status, expires_at: expiresAt, description, context, subject, references }) {
  document.title = title;
  const links = [subject, ...references].filter(
    (reference) => reference?.kind === 'external_url' && /^https?:\/\//i.test(reference.url ?? ''),
  );
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'title' },
    element('h1', { id: 'title' }, title),
    element(
      'p',
      { class: 'soft' },
      `${kinds[kind] ?? kind} · `,
      element('span', { class: 'tag' }, statuses[status] ?? status),
      ...(expiresAt && (status === 'pending' || status === 'in_review') ? [' · until ', time(expiresAt)] : []),
    ),
    description ? element('p', { class: 'text' }, description) : null,
    links.length > 0
      ? element(
          'ul',
          {},
          ...links.map(({ url, label }) =>
            element('li', {}, element('a', { href: url, rel: 'noopener noreferrer', target: '_blank' }, label ?? url)),
          ),
        )
      : null,
    context
      ? element('details', {}, element('summary', {}, 'Context'), element('pre', {}, JSON.stringify(context, null, 2)))
      : null,
  );
}

function responses({ responses: given, spec: { questions } }) {
  if (given.length === 0) return null;
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'responses' },
    element('h2', { id: 'responses' }, 'Answers'),
    ...given.map((response) =>
      element(
        'div',
        {},
        element(
          'p',
          { class: 'soft' },
          `${response.responder_user_id} · `,
          time(response.responded_at),
          ...(response.attempt ? [` · round ${response.attempt}`] : []),
        ),
        element(
          'dl',
          {},
          ...questions.flatMap((question) => [
            element('dt', {}, question.prompt),
            element(
              'dd',
              { class: 'text' },
              spoken(
                question,
                response.answers.find(({ question_id: id }) => id === question.id),
              ),
            ),
          ]),
        ),
        response.comment ? element('p', { class: 'text' }, response.comment) : null,
      ),
    ),
  );
}

function commentField(label) {
  const input = element('textarea', { id: 'comment', maxlength: '8192' });
  return { input, elements: [element('label', { for: 'comment' }, label), input] };
}

/** Sends one change; the page then shows the interaction as it is. */
async function change(form, action, body, done, refused) {
  const buttons = form.querySelectorAll('button');
  for (const button of buttons) button.disabled = true;
  say('Sending…');
  sending = true;
  const sent = (version += 1);
  try {
    const interaction = await api('POST', `${path}/${action}`, body);
    if (sent !== version) return;
    render(interaction);
    say(done);
    document.getElementById('main').focus();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say('');
    for (const button of buttons) button.disabled = false;
    if (error.status === 401) sessionStorage.removeItem(keyName);
    sending = false;
    if (error.status === 409) await look();
    if (form.isConnected) refused(error);
  } finally {
    sending = false;
    lookLater();
  }
}

/** A question before the request is dismissed. The way back has the focus; Escape takes it too. */
function dismissal(dismiss) {
  const dialog = element(
    'dialog',
    { role: 'alertdialog', 'aria-labelledby': 'dismiss-title', 'aria-describedby': 'dismiss-text' },
    element('h2', { id: 'dismiss-title' }, 'Dismiss this request?'),
    element(
      'p',
      { id: 'dismiss-text' },
      'It is closed for all it was sent to, without an answer. This cannot be undone.',
    ),
    element(
      'div',
      { class: 'row' },
      element(
        'button',
        {
          type: 'button',
          class: 'quiet',
          autofocus: true,
          onclick: () => {
            dialog.close();
          },
        },
        'Keep it open',
      ),
      element(
        'button',
        {
          type: 'button',
          onclick: () => {
            dialog.close();
            dismiss();
          },
        },
        'Dismiss',
      ),
    ),
  );
  return dialog;
}

function answerForm(interaction) {
  const fields = interaction.spec.questions.map(questionField);
  const comment = commentField('Comment (optional)');
  const problem = element('p', { class: 'wrong', role: 'alert', hidden: true });
  const tell = (message) => {
    problem.hidden = false;
    problem.textContent = message;
  };
  const form = element(
    'form',
    {
      class: 'card',
      novalidate: true,
      'aria-label': 'Answer',
      onsubmit: (event) => {
        event.preventDefault();
        problem.hidden = true;
        for (const field of fields) field.mark(null);
        const answers = fields.map((field) => field.answer()).filter((answer) => answer !== null);
        const body = {
          action: 'submit',
          ...(answers.length > 0 && { answers }),
          ...(comment.input.value !== '' && { comment: comment.input.value }),
        };
        change(form, 'respond', body, 'Your answer was taken.', (error) => {
          const issues = error.code === 'invalid_answer' ? (error.details.issues ?? []) : [];
          const wrong = fields.filter((field) => issues.some((issue) => issue.question_id === field.id));
          for (const field of wrong) field.mark(issues.find((issue) => issue.question_id === field.id).message);
          tell(
            wrong.length > 0
              ? `${wrong.length === 1 ? 'One answer needs' : `${wrong.length} answers need`} another look.`
              : error.message,
          );
          wrong[0]?.focus();
        });
      },
    },
    ...fields.map(({ group }) => group),
    ...comment.elements,
    problem,
    element(
      'div',
      { class: 'row' },
      element('button', { type: 'submit' }, 'Send answer'),
      element(
        'button',
        {
          type: 'button',
          class: 'quiet',
          'aria-haspopup': 'dialog',
          onclick: () => {
            dialog.showModal();
          },
        },
        'Dismiss request',
      ),
    ),
  );
  const dialog = dismissal(() => {
    change(
      form,
      'cancel',
      comment.input.value === '' ? {} : { reason: comment.input.value.slice(0, 2048) },
      'The request was dismissed.',
      (error) => {
        tell(error.message);
      },
    );
  });
  form.append(dialog);
  return form;
}

function reviewForm() {
  const comment = commentField('Comment (needed to ask for changes)');
  const problem = element('p', { class: 'wrong', role: 'alert', id: 'review-problem', hidden: true });
  const decide = (action, done) => () => {
    const body = { action, ...(comment.input.value !== '' && { comment: comment.input.value }) };
    change(form, 'review', body, done, (error) => {
      problem.hidden = false;
      problem.textContent = error.details.issues?.[0]?.path === '/comment' ? 'Say what should change.' : error.message;
      comment.input.focus();
    });
  };
  const form = element(
    'form',
    {
      class: 'card',
      'aria-label': 'Review',
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
      },
    },
    element('h2', {}, 'Review'),
    ...comment.elements,
    problem,
    element(
      'div',
      { class: 'row' },
      element('button', { type: 'button', onclick: decide('accept', 'The work was accepted.') }, 'Accept'),
      element(
        'button',
        { type: 'button', class: 'quiet', onclick: decide('request_changes', 'Changes were asked for.') },
        'Ask for changes',
      ),
    ),
  );
  comment.input.setAttribute('aria-describedby', problem.id);
  return form;
}

/** This person's own answer of the present round. */
function ownAnswer({ responses: given, review_round: round }) {
  return given.some(({ responder_user_id: id, attempt }) => id === me && (attempt ?? 1) === (round ?? 1));
}

/** Which form belongs to a request: it is made anew only when this changes. */
function formOf(interaction) {
  const { status, review_round: round } = interaction;
  if (status === 'in_review') return `review ${round}`;
  return status === 'pending' && !ownAnswer(interaction) ? `answer ${round}` : null;
}

function note({ status, cancel_reason: reason, review_feedback: feedback }, answered) {
  const text =
    status === 'cancelled' && reason
      ? `Reason: ${reason}`
      : answered
        ? 'You have answered. The request stays open until enough others have.'
        : status === 'pending' && feedback
          ? `Changes were asked for: ${feedback}`
          : null;
  return text === null ? null : element('p', { class: 'card text' }, text);
}

/** Shows a request. What did not change keeps its elements, and so a form its text and focus. */
function render(interaction) {
  const { status, title, expires_at: expiresAt, cancel_reason: reason, review_feedback: feedback } = interaction;
  const form = formOf(interaction);
  const answered = status === 'pending' && form === null;
  const wanted = [
    ['heading', [title, status, expiresAt], () => heading(interaction)],
    ['note', [status, reason, feedback, answered], () => note(interaction, answered)],
    ['responses', interaction.responses, () => responses(interaction)],
    ['form', form, () => (form === null ? null : status === 'in_review' ? reviewForm() : answerForm(interaction))],
  ];
  const parts = wanted.map(([name, from, make]) => {
    const state = JSON.stringify(from);
    const before = shown?.parts.find((part) => part.name === name && part.state === state);
    return before ?? { name, state, made: make() };
  });
  for (const { made } of shown?.parts ?? []) if (!parts.some((part) => part.made === made)) made?.remove();
  let after = null;
  for (const { made } of parts) {
    if (made === null) continue;
    if (!made.isConnected) view.insertBefore(made, after === null ? view.firstChild : after.nextSibling);
    after = made;
  }
  shown = { interaction, form, parts };
  version += 1;
}

/** What became of a request whose form is gone. */
function became(interaction) {
  const { status } = interaction;
  if (status === 'completed') return 'This request was answered elsewhere.';
  if (status === 'cancelled') return 'This request was dismissed elsewhere.';
  if (status === 'expired') return 'This request has expired.';
  if (status === 'in_review') return 'This request was answered elsewhere. It is in review.';
  return ownAnswer(interaction) ? 'You answered this request elsewhere.' : 'Changes were asked for.';
}

/** Shows what was read of a request that others may have changed meanwhile. */
function renderNews(interaction) {
  const { form: formBefore, parts } = shown;
  const form = parts.find(({ name }) => name === 'form').made;
  const entered = form !== null && [...form.elements].some(isEntered);
  const focusInside = form?.contains(document.activeElement) === true;
  render(interaction);
  if (shown.form === formBefore) return;
  say(`${became(interaction)}${entered ? ' What you had entered was not sent.' : ''}`);
  if (focusInside) document.getElementById('main').focus();
}

/** Whether a person changed a field. */
function isEntered(field) {
  if (field.type === 'radio' || field.type === 'checkbox') return field.checked !== field.defaultChecked;
  if (field.options)
    return [...field.options].some((option) => option.selected !== option.defaultSelected && option.value !== '');
  return field.defaultValue !== undefined && field.value !== field.defaultValue;
}

/** Reads the request again, and shows what became of it. */
async function look() {
  clearTimeout(lookTimer);
  if (shown === null) return;
  const before = version;
  try {
    const interaction = await api('GET', path);
    lookWait = lookEveryMs;
    if (before === version) renderNews(interaction);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    lookWait = Math.min(lookWait * 2, lookSeldomMs);
    if (before === version && error.status === 404) {
      leave();
      showFailure(error);
    }
  }
  lookLater();
}

/** An open request is looked at again while its tab is seen and has a key. */
function lookLater(wait = lookWait) {
  clearTimeout(lookTimer);
  const open = shown !== null && (shown.interaction.status === 'pending' || shown.interaction.status === 'in_review');
  if (open && !sending && !document.hidden && sessionStorage.getItem(keyName)) lookTimer = setTimeout(look, wait);
}

document.addEventListener('visibilitychange', () => {
  lookLater(0);
});
forget.addEventListener('click', leave);

/** What is on its way for the form that was shown is not for what is shown next. */
function leave() {
  clearTimeout(lookTimer);
  shown = null;
  version += 1;
}

withKey(async () => {
  leave();
  const interaction = await api('GET', path);
  me = (await api('GET', '/v1/me')).principal.id;
  show();
  render(interaction);
  lookLater();
});
