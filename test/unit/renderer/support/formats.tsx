import { renderToString } from 'react-dom/server'
import { type Formats, type Locale, useFormats } from '../../../../src/renderer/format'
import { startI18n } from '../../../../src/renderer/i18n'

/** Formats of a language, as components get them. */
export async function readFormats(locale: Locale): Promise<Formats> {
  await startI18n(locale)
  const formats: Formats[] = []
  function Reader() {
    formats.push(useFormats())
    return null
  }
  renderToString(<Reader />)
  if (!formats[0]) throw new Error('no formats')
  return formats[0]
}
