import type { FailureCode } from '@shared/failure'
import { SearchX } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { isFailureCode } from '../../failures'
import { toSearchText } from '../../format'
import { failureCodes } from '../../i18n/en'
import { useFailureTexts } from '../../i18n/failures'
import { QuietCode } from '../../ui/code'
import { EmptyState, Toolbar } from '../../ui/page'
import { SearchField } from '../../ui/search-field'

const codes: readonly FailureCode[] = Object.entries(failureCodes)
  .flatMap(([area, whats]) => Object.keys(whats).map((codeName) => `${area}.${codeName}`))
  .filter(isFailureCode)

export function FailureText({ code, heading: Title }: { readonly code: FailureCode; readonly heading: 'h2' | 'h3' }) {
  const { t } = useTranslation('help')
  const { title, explanation, remedy } = useFailureTexts()({ code, message: '' })
  return (
    <div className="flex flex-col gap-2">
      <Title>{title}</Title>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-1">
        <dt className="text-muted">{t('errors.cause')}</dt>
        <dd>{explanation}</dd>
        <dt className="text-muted">{t('errors.remedy')}</dt>
        <dd>{remedy}</dd>
      </dl>
    </div>
  )
}

/** Searchable by code or text. Scrolls to the failure in the page address. */
export function FailureList() {
  const { t } = useTranslation('help')
  const [search, setSearch] = useSearchParams()
  const getFailureTexts = useFailureTexts()
  const codeInUrl = search.get('code')
  const text = search.get('q') ?? ''
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (codeInUrl !== null) item.current?.scrollIntoView({ block: 'center' })
  }, [codeInUrl])
  const searchText = toSearchText(text.trim())
  const shownCodes = codes.filter((code) => {
    const { title, explanation, remedy } = getFailureTexts({ code, message: '' })
    return toSearchText([code, title, explanation, remedy].join(' ')).includes(searchText)
  })
  return (
    <>
      <p className="text-muted">{t('errors.text')}</p>
      <Toolbar>
        <SearchField
          label={t('errors.search')}
          value={text}
          onChange={(q) => setSearch(q === '' ? {} : { q }, { replace: true })}
          found={{ shown: shownCodes.length, count: codes.length }}
          maxLength={100}
          hasFindKey
        />
      </Toolbar>
      {shownCodes.length === 0 ? (
        <EmptyState icon={SearchX} title={t('errors.none')} />
      ) : (
        <ul className="rounded-lg border bg-surface" aria-label={t('tabs.errors')}>
          {shownCodes.map((code) => (
            <li
              key={code}
              ref={code === codeInUrl ? item : undefined}
              aria-current={code === codeInUrl || undefined}
              className="border-t px-4 py-3.5 first:border-t-0 aria-[current=true]:bg-accent-soft"
            >
              <FailureText code={code} heading="h2" />
              <p className="mt-1.5 text-muted text-sm">
                <QuietCode>{code}</QuietCode>
              </p>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
