const filters = [
  ['pending', 'Open'],
  ['in_review', 'In review'],
  ['completed', 'Answered'],
  ['cancelled', 'Dismissed'],
  ['expired', 'Expired'],
  ['', 'All'],
];

function entry(interaction) {
  return element(
    'li',
    { class: 'card' },
    element('a', { href: `/interactions/${encodeURIComponent(interaction.id)}` }, interaction.title),
    element(
      'p',
      { class: 'soft' },
      `${kinds[interaction.kind] ?? interaction.kind} · `,
      element('span', { class: 'tag' }, statuses[interaction.status] ?? interaction.status),
      ' · ',
      time(interaction.created_at),
      ...(interaction.expires_at ? [' · until ', time(interaction.expires_at)] : []),
    ),
  );
}

async function inbox(status = 'pending', focusFilter = false) {
  const list = element('ul', { class: 'list', 'aria-label': 'Requests' });
  const more = element('button', { type: 'button', class: 'quiet', hidden: true }, 'Show more');
  const select = element(
    'select',
    {
      id: 'status',
      onchange: () => {
        run(() => inbox(select.value, true));
      },
    },
    ...filters.map(([value, label]) => element('option', { value, selected: value === status }, label)),
  );
  let cursor;
  const load = async () => {
    const query = new URLSearchParams({ inbox: 'true', ...(status && { status }), ...(cursor && { cursor }) });
    const page = await api('GET', `/v1/interactions?${query}`);
    const made = page.items.map(entry);
    list.append(...made);
    cursor = page.next_cursor;
    more.hidden = !page.has_more;
    return made;
  };
  const first = await load();
  more.addEventListener('click', () => {
    run(async () => {
      const [next] = await load();
      next?.querySelector('a').focus();
    });
  });
  show(
    element('h1', {}, 'Inbox'),
    element('label', { for: 'status' }, 'Show'),
    select,
    element('h2', {}, 'Requests to you'),
    list,
    ...(first.length === 0 ? [element('p', {}, 'Nothing here.')] : []),
    element('div', { class: 'row' }, more),
  );
  say(first.length === 0 ? 'No requests.' : '');
  if (focusFilter) select.focus();
}

function run(work) {
  work().catch((error) => {
    say(error.message);
  });
}

withKey(() => inbox());
