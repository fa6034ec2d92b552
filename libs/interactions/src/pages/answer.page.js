const interactionId = decodeURIComponent(location.pathname.split('/')[2] ?? '');
const path = `/v1/interactions/${encodeURIComponent(interactionId)}`;
const listedOptionsMax = 12;

/** One question as a group of fields: its element, what it answers now, and a place for what is wrong. */
function questionField(question, place) {
  const name = `q${place}`;
  const problem = element('p', { id: `${name}-problem`, class: 'wrong', hidden: true });
  const fields = { confirm: confirmFields, select: selectFields, multi_select: multiSelectFields, input: inputFields }[question.mode](question, name);
  const group = element('fieldset', { id: name, 'aria-describedby': problem.id },
    element('legend', {}, question.prompt, ...(question.required ? [] : [' ', element('span', { class: 'soft' }, '(optional)')])), ...fields.elements, problem);
  return {
    id: question.id,
    group,
    answer: () => { const content = fields.content(); return content === null ? null : { question_id: question.id, ...content }; },
    mark(message) {
      problem.hidden = message === null;
      problem.textContent = message === null ? '' : `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
      for (const input of group.querySelectorAll('input, textarea, select')) {
        if (message === null) input.removeAttribute('aria-invalid');
        else input.setAttribute('aria-invalid', 'true');
      }
    },
    focus: () => { group.querySelector('input, textarea, select').focus(); },
  };
}

function choice(type, name, value, label, { checked = false, description } = {}) {
  const input = element('input', { type, name, value, checked });
  const text = element('span', {}, label, ...(description ? [element('br'), element('span', { class: 'soft' }, description)] : []));
  return { input, element: element('label', { class: 'choice' }, input, text) };
}

function confirmFields({ default_confirmed: preset }, name) {
  const yes = choice('radio', name, 'approved', 'Approve', { checked: preset === true });
  const no = choice('radio', name, 'rejected', 'Reject', { checked: preset === false });
  return { elements: [yes.element, no.element], content: () => (yes.input.checked ? { value: 'approved' } : no.input.checked ? { value: 'rejected' } : null) };
}

/** The free text beside the options. */
function otherFields(type, name) {
  const picked = choice(type, name, '', 'Other');
  const text = element('input', { type: 'text', maxlength: '4096', 'aria-label': 'Other', placeholder: 'Other…', oninput: () => { if (text.value !== '') picked.input.checked = true; } });
  return { picked, text, elements: [picked.element, text] };
}

function selectFields({ options, allow_other: allowOther, default_value: preset, required }, name) {
  if (options.length > listedOptionsMax && !allowOther) {
    const select = element('select', { 'aria-labelledby': name }, element('option', { value: '' }, required ? 'Choose…' : 'No answer'),
      ...options.map(({ value, label }, place) => element('option', { value: String(place + 1), selected: value === preset }, label)));
    return { elements: [select], content: () => (select.value === '' ? null : { value: options[Number(select.value) - 1].value }) };
  }
  const choices = options.map(({ value, label, description }) => choice('radio', name, value, label, { checked: value === preset, description }));
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

function multiSelectFields({ options, allow_other: allowOther, default_values: presets = [], min_selections: min, max_selections: max }, name) {
  const choices = options.map(({ value, label, description }) => choice('checkbox', name, value, label, { checked: presets.includes(value), description }));
  const other = allowOther ? otherFields('checkbox', name) : null;
  const bounds = [...(min ? [`at least ${min}`] : []), ...(max ? [`at most ${max}`] : [])];
  return {
    elements: [...(bounds.length > 0 ? [element('p', { class: 'soft' }, `Choose ${bounds.join(', ')}.`)] : []), ...choices.map((one) => one.element), ...(other?.elements ?? [])],
    content() {
      const values = options.filter((_option, place) => choices[place].input.checked).map(({ value }) => value);
      const hasOther = other?.picked.input.checked === true;
      if (values.length === 0 && !hasOther) return null;
      return { values, ...(hasOther && { other: other.text.value }) };
    },
  };
}

function inputFields({ prompt, multiline, placeholder, default_text: preset = '' }) {
  const input = multiline ? element('textarea', { 'aria-label': prompt, placeholder }) : element('input', { type: 'text', 'aria-label': prompt, placeholder });
  input.value = preset;
  return { elements: [input], content: () => (input.value === '' ? null : { text: input.value }) };
}

/** The answer in the words of the form. */
function spoken({ options = [], mode }, answer) {
  if (!answer) return 'No answer';
  if (mode === 'confirm') return answer.value === 'approved' ? 'Approved' : 'Rejected';
  const label = (value) => options.find((option) => option.value === value)?.label ?? value;
  return [...(answer.value === undefined ? [] : [label(answer.value)]), ...(answer.values ?? []).map(label), answer.other, answer.text].filter((part) => part !== undefined).join(', ');
}

function heading({ title, kind, status, expires_at: expiresAt, description, context, subject, references }) {
  document.title = title;
  const links = [subject, ...references].filter((reference) => reference?.kind === 'external_url' && /^https?:\/\//i.test(reference.url ?? ''));
  return element('section', { class: 'card', 'aria-labelledby': 'title' },
    element('h1', { id: 'title' }, title),
    element('p', { class: 'soft' }, `${kinds[kind] ?? kind} · `, element('span', { class: 'tag' }, statuses[status] ?? status), ...(expiresAt && (status === 'pending' || status === 'in_review') ? [' · until ', time(expiresAt)] : [])),
    description ? element('p', { class: 'text' }, description) : null,
    links.length > 0 ? element('ul', {}, ...links.map(({ url, label }) => element('li', {}, element('a', { href: url, rel: 'noopener noreferrer', target: '_blank' }, label ?? url)))) : null,
    context ? element('details', {}, element('summary', {}, 'Context'), element('pre', {}, JSON.stringify(context, null, 2))) : null);
}

function responses({ responses: given, spec: { questions } }) {
  if (given.length === 0) return null;
  return element('section', { class: 'card', 'aria-labelledby': 'responses' }, element('h2', { id: 'responses' }, 'Answers'),
    ...given.map((response) => element('div', {}, element('p', { class: 'soft' }, `${response.responder_user_id} · `, time(response.responded_at), ...(response.attempt ? [` · round ${response.attempt}`] : [])),
      element('dl', {}, ...questions.flatMap((question) => [element('dt', {}, question.prompt),
        element('dd', { class: 'text' }, spoken(question, response.answers.find(({ question_id: id }) => id === question.id)))])),
      response.comment ? element('p', { class: 'text' }, response.comment) : null)));
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
  try {
    const interaction = await api('POST', `${path}/${action}`, body);
    render(interaction);
    say(done);
    document.getElementById('main').focus();
  } catch (error) {
    say('');
    for (const button of buttons) button.disabled = false;
    if (error.status === 401) sessionStorage.removeItem(keyName);
    refused(error);
  }
}

function answerForm(interaction) {
  const fields = interaction.spec.questions.map(questionField);
  const comment = commentField('Comment (optional)');
  const problem = element('p', { class: 'wrong', role: 'alert', hidden: true });
  const tell = (message) => { problem.hidden = false; problem.textContent = message; };
  const form = element('form', { class: 'card', novalidate: true, 'aria-label': 'Answer', onsubmit: (event) => {
    event.preventDefault();
    problem.hidden = true;
    for (const field of fields) field.mark(null);
    const answers = fields.map((field) => field.answer()).filter((answer) => answer !== null);
    const body = { action: 'submit', ...(answers.length > 0 && { answers }), ...(comment.input.value !== '' && { comment: comment.input.value }) };
    change(form, 'respond', body, 'Your answer was taken.', (error) => {
      const issues = error.code === 'invalid_answer' ? error.details.issues ?? [] : [];
      const wrong = fields.filter((field) => issues.some((issue) => issue.question_id === field.id));
      for (const field of wrong) field.mark(issues.find((issue) => issue.question_id === field.id).message);
      tell(wrong.length > 0 ? `${wrong.length === 1 ? 'One answer needs' : `${wrong.length} answers need`} another look.` : error.message);
      wrong[0]?.focus();
    });
  } }, ...fields.map(({ group }) => group), ...comment.elements, problem,
  element('div', { class: 'row' }, element('button', { type: 'submit' }, 'Send answer'),
    element('button', { type: 'button', class: 'quiet', onclick: () => {
      change(form, 'cancel', comment.input.value === '' ? {} : { reason: comment.input.value.slice(0, 2048) }, 'The request was dismissed.', (error) => { tell(error.message); });
    } }, 'Dismiss request')));
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
  const form = element('form', { class: 'card', 'aria-label': 'Review', novalidate: true, onsubmit: (event) => { event.preventDefault(); } },
    element('h2', {}, 'Review'), ...comment.elements, problem,
    element('div', { class: 'row' }, element('button', { type: 'button', onclick: decide('accept', 'The work was accepted.') }, 'Accept'),
      element('button', { type: 'button', class: 'quiet', onclick: decide('request_changes', 'Changes were asked for.') }, 'Ask for changes')));
  comment.input.setAttribute('aria-describedby', problem.id);
  return form;
}

function render(interaction) {
  const { status, cancel_reason: reason, review_feedback: feedback } = interaction;
  const note = status === 'cancelled' && reason ? `Reason: ${reason}` : status === 'pending' && feedback ? `Changes were asked for: ${feedback}` : null;
  const parts = [heading(interaction), note ? element('p', { class: 'card text' }, note) : null, responses(interaction),
    status === 'pending' ? answerForm(interaction) : null, status === 'in_review' ? reviewForm() : null];
  show(...parts.filter((part) => part !== null));
}

withKey(async () => { render(await api('GET', path)); });
