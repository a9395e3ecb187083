import type { ResourceCall } from '../../resources/resource'

/** What is asked for to append an event to a session. The names of the body's fields are ours (decisions 5): other ones are added as JSON. */
export const appendCall: ResourceCall = {
  operation: 'memory.events.create',
  title: (t) => t('memory:append.title'),
  text: (t) => t('memory:append.text'),
  confirm: (t) => t('memory:append.confirm'),
  done: (t) => t('memory:append.done'),
  fields: [
    {
      id: 'role',
      kind: 'text',
      isCode: true,
      label: (t) => t('memory:fields.role'),
      help: (t) => t('memory:append.roleHelp'),
      initial: 'user',
    },
    {
      id: 'content',
      kind: 'area',
      label: (t) => t('memory:fields.content'),
      help: (t) => t('memory:append.contentHelp'),
    },
  ],
  takesJson: true,
}
