import { Cable, ChartNoAxesColumn, FileText, type LucideIcon, Waypoints } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Row, RowMark, Rows } from '../../ui/rows'
import { listPath } from '../connections/paths'
import { isNarrowed, noFilters } from './narrowing'
import { relayPath, sourcesPath } from './paths'
import styles from './usage.module.css'
import type { Usage } from './use-usage'

const ways = [
  { id: 'relay', icon: Waypoints, to: relayPath },
  { id: 'toolLogs', icon: FileText, to: sourcesPath },
  { id: 'console', icon: Cable, to: listPath },
] as const satisfies readonly { readonly id: string; readonly icon: LucideIcon; readonly to: string }[]

/** Nothing is counted anywhere yet: where figures can come from, and how each source is switched on. */
export function NoUsage() {
  const { t } = useTranslation('usage')
  return (
    <div className={styles.nothing}>
      <EmptyState icon={ChartNoAxesColumn} title={t('empty.title')}>
        {t('empty.text')}
      </EmptyState>
      <Rows label={t('empty.list')}>
        {ways.map(({ id, icon: Icon, to }) => (
          <Row
            key={id}
            leading={
              <RowMark>
                <Icon size={15} strokeWidth={1.8} />
              </RowMark>
            }
            title={t(`empty.${id}.title`)}
            description={<span className={styles.wrap}>{t(`empty.${id}.text`)}</span>}
            trailing={
              <ButtonLink size="sm" to={to}>
                {t(`empty.${id}.action`)}
              </ButtonLink>
            }
          />
        ))}
      </Rows>
    </div>
  )
}

const toSource = {
  relay: { to: relayPath, words: 'toRelay' },
  toolLog: { to: sourcesPath, words: 'toLogs' },
} as const

/** The source counted nothing in this span: why that may be, and what to do about it. */
export function QuietSpan({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { scope, wanted, change } = usage
  const known = scope === 'relay' || scope === 'toolLog' ? toSource[scope] : undefined
  const why = isNarrowed(usage) ? 'filtered' : scope === 'machine' || scope === 'console' ? 'text' : scope
  return (
    <EmptyState
      icon={ChartNoAxesColumn}
      title={t('quiet.title')}
      actions={
        <>
          {isNarrowed(usage) ? <Button onClick={() => change(noFilters)}>{t('filters.clear')}</Button> : null}
          {wanted.span === '30d' ? null : (
            <Button onClick={() => change({ span: '30d', step: undefined })}>{t('quiet.widen')}</Button>
          )}
          {known && !isNarrowed(usage) ? <ButtonLink to={known.to}>{t(`quiet.${known.words}`)}</ButtonLink> : null}
        </>
      }
    >
      {t(`quiet.${why}`)}
    </EmptyState>
  )
}
