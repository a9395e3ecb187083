import clsx from 'clsx'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../../ui/badge'
import { Button, ButtonLink } from '../../../ui/button'
import { Section } from '../../../ui/page'
import { RawJson } from '../../resources/fields-view'
import type { Json } from '../../resources/resource'
import styles from '../memory.module.css'
import { contentOf } from '../names'
import type { OpenMemory } from '../open-memory'
import { memoryPath } from '../paths'
import { RecordSheet } from '../records/record-sheet'
import parts from '../search.module.css'
import { type Difference, differences } from './difference'
import { comparedLimit, type useGenerate } from './use-generate'

interface GeneratedProps extends OpenMemory {
  readonly made: NonNullable<ReturnType<typeof useGenerate>['made']>
  readonly isLooking: boolean
  readonly onLookAgain: () => void
}

/** How many records that stayed are shown. */
const mostSame = 20

function Line({ one, onOpen }: { readonly one: Difference; readonly onOpen: (row: Json) => void }) {
  const { t } = useTranslation('memory')
  const { row, change } = one
  return (
    <li className={clsx(parts.change, change === 'new' && parts.added, change === 'gone' && parts.removed)}>
      <span className={parts.changeMark}>
        {change === 'same' ? null : (
          <Badge tone={change === 'new' ? 'success' : 'danger'}>{t(`generate.${change}`)}</Badge>
        )}
      </span>
      <button type="button" className={parts.foundText} onClick={() => onOpen(row)}>
        {contentOf(row)}
      </button>
    </li>
  )
}

/** The records of a namespace after some were made of a session: new ones marked and first. */
export function Generated({ connection, memoryId, made, isLooking, onLookAgain }: GeneratedProps) {
  const { t } = useTranslation('memory')
  const [opened, setOpened] = useState<Json>()
  const all = differences(made.before, made.after)
  const fresh = all.filter(({ change }) => change === 'new').length
  const gone = all.filter(({ change }) => change === 'gone').length
  const changed = all.slice(0, fresh + gone)
  const same = all.slice(fresh + gone)
  const isCut = made.after.length >= comparedLimit
  return (
    <Section
      title={fresh === 0 ? t('generate.noneNew') : t('generate.made', { count: fresh })}
      description={t('generate.of', {
        before: made.before.length,
        after: made.after.length,
        namespace: made.namespace,
      })}
      actions={
        <>
          <Button icon={RefreshCw} busy={isLooking} onClick={onLookAgain}>
            {t('generate.lookAgain')}
          </Button>
          <ButtonLink to={memoryPath(memoryId, 'records', { namespace: made.namespace })}>
            {t('generate.browse')}
          </ButtonLink>
        </>
      }
    >
      {fresh === 0 ? <p className={styles.quiet}>{t('generate.noneNewText')}</p> : null}
      {isCut ? <p className={styles.quiet}>{t('generate.cut', { count: comparedLimit })}</p> : null}
      {all.length === 0 ? null : (
        <ul className={parts.changes} aria-label={t('generate.result')}>
          {[...changed, ...same.slice(0, mostSame)].map((one) => (
            <Line key={`${one.change} ${one.key}`} one={one} onOpen={setOpened} />
          ))}
          {same.length > mostSame ? (
            <li className={parts.change}>
              <span className={parts.changeMark} />
              <span className={styles.quiet}>{t('generate.moreSame', { count: same.length - mostSame })}</span>
            </li>
          ) : null}
        </ul>
      )}
      {made.answer === undefined ? null : (
        <details className={parts.fold}>
          <summary>{t('generate.answer')}</summary>
          <RawJson data={made.answer} />
        </details>
      )}
      {opened !== undefined ? (
        <RecordSheet {...{ connection, memoryId }} record={opened} onClose={() => setOpened(undefined)} />
      ) : null}
    </Section>
  )
}
