/** Texts around a model's answer: code, links, lists of tasks. */
export const markdown = {
  code: 'Code',
  copyCode: 'Copy code',
  asText: 'Shown as text: nested too deeply',
  copyText: 'Copy text',
  done: 'Done:',
  notDone: 'Not done:',
  notOpened: 'The link could not be opened.',
}
