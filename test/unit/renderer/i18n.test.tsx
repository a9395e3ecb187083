import { QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import i18next from 'i18next'
import { describe, expect, it } from 'vitest'
import type { Locale } from '../../../src/renderer/format'
import { LocaleContext, setLocale, startI18n } from '../../../src/renderer/i18n'
import { createQueries } from '../../../src/renderer/ipc'
import { Markdown } from '../../../src/renderer/ui/markdown/markdown'
import { TooltipProvider } from '../../../src/renderer/ui/tooltip'
import { englishTexts, vietnameseTexts } from './support/locale-texts'

const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{\{\s*([^}\s,]+)[^}]*\}\}/g)].map(([, name]) => String(name)).sort()

describe('the texts of the window and the system', () => {
  it('have a Vietnamese version of every English text', () => {
    const missingKeys = [...englishTexts.keys()].filter((key) => !key.endsWith('_one') && !vietnameseTexts.has(key))
    expect(missingKeys).toEqual([])
  })

  it('have no Vietnamese text without an English one', () => {
    expect([...vietnameseTexts.keys()].filter((key) => !englishTexts.has(key))).toEqual([])
  })

  it('are never empty', () => {
    const emptyKeys = [...englishTexts, ...vietnameseTexts].filter(([, text]) => text.trim() === '').map(([key]) => key)
    expect(emptyKeys).toEqual([])
  })

  it('use the same placeholders in both languages', () => {
    const differentKeys = [...vietnameseTexts].filter(
      ([key, text]) => placeholders(text).join() !== placeholders(englishTexts.get(key) ?? '').join(),
    )
    expect(differentKeys).toEqual([])
  })

  it('share each label of three files in common.json', () => {
    const isShareable = (key: string, text: string): boolean =>
      !/^(system|failures|register\.audit)\./.test(key) && !/\{\{|\$t\(|_(one|other)$/.test(text + key)
    const files = new Map<string, Set<string>>()
    for (const [key, text] of englishTexts) {
      if (!isShareable(key, text) || text.split(' ').length > 5) continue
      const label = `${text} / ${vietnameseTexts.get(key)}`
      files.set(label, (files.get(label) ?? new Set()).add(key.split('.')[0] ?? ''))
    }
    expect([...files].filter(([, names]) => names.size > 2).map(([label]) => label)).toEqual([])
    const usedKeys = [...englishTexts, ...vietnameseTexts].flatMap(([, text]) => text.match(/(?<=\$t\()[^)]+/g) ?? [])
    expect(
      usedKeys.filter((key) => !englishTexts.has(key.replace(':', '.')) || !vietnameseTexts.has(key.replace(':', '.'))),
    ).toEqual([])
  })

  it('have singular and plural in English for every count', () => {
    const unpairedPluralKeys = [...englishTexts.keys()].filter(
      (key) =>
        (key.endsWith('_one') && !englishTexts.has(key.replace(/_one$/, '_other'))) ||
        (key.endsWith('_other') && !englishTexts.has(key.replace(/_other$/, '_one'))),
    )
    expect(unpairedPluralKeys).toEqual([])
  })
})

describe('the language of the window', () => {
  it('can be switched while it is shown, and back', async () => {
    await startI18n('vi')
    expect(i18next.t('shell:places.tools')).toBe('Công cụ')
    await setLocale('en')
    expect(i18next.t('shell:places.tools')).toBe('Tools')
    expect(document.documentElement.lang).toBe('en')
    await setLocale('vi')
    expect(document.documentElement.lang).toBe('vi')
  })

  it('changes in memoized components too', async () => {
    const queries = createQueries()
    const answer = <Markdown text={'```\ncompanion plan list\n```'} />
    const buildPage = (locale: Locale) => (
      <QueryClientProvider client={queries}>
        <TooltipProvider>
          <LocaleContext value={locale}>{answer}</LocaleContext>
        </TooltipProvider>
      </QueryClientProvider>
    )
    await startI18n('vi')
    const view = render(buildPage('vi'))
    expect(view.getByRole('button').getAttribute('aria-label')).toBe('Sao chép code')
    await setLocale('en')
    view.rerender(buildPage('en'))
    expect(view.getByRole('button').getAttribute('aria-label')).toBe('Copy code')
  })

  it('uses the plural rules of each language', async () => {
    await startI18n('en')
    expect([1, 2].map((count) => i18next.t('home:state.plans', { count }))).toEqual(['1 plan', '2 plans'])
    await setLocale('vi')
    expect([1, 2].map((count) => i18next.t('home:state.plans', { count }))).toEqual(['1 gói', '2 gói'])
  })
})
