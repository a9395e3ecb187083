/** Texts around a model's answer: code, links, lists of tasks. */
export const markdown = {
  code: 'Code',
  copyCode: 'Copy code',
  done: 'Done:',
  notDone: 'Not done:',
  notOpened: 'The link could not be opened.',
}
