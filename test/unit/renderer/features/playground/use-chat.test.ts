import { expect, test } from 'vitest'
import { pastedFiles } from '../../../../../src/renderer/features/playground/use-chat'

const picture = new File(['png'], 'image.png', { type: 'image/png' })

/** Clipboard content of these formats, with a picture. */
const createClipboard = (texts: Readonly<Record<string, string>>) => ({
  types: [...Object.keys(texts), 'Files'],
  getData: (type: string) => texts[type] ?? '',
  files: [picture],
})

test.each([
  ['cells of a spreadsheet', { 'text/plain': 'city\trequests\nHuế\t12', 'text/html': '<table></table>' }, []],
  ['text of Word', { 'text/plain': 'A sentence.', 'text/html': '<p>A sentence.</p>', 'text/rtf': '{\\rtf1}' }, []],
  ['a screenshot', {}, [picture]],
  ['a picture of a web page', { 'text/plain': '', 'text/html': '<img src="https://example.com/a.png">' }, [picture]],
  ['a file of a file manager', { 'text/plain': 'file:///home/an/image.png' }, [picture]],
])('pasting %s attaches a picture only if the clipboard has no formatted text', (_, texts, files) => {
  expect(pastedFiles(createClipboard(texts))).toEqual(files)
})
