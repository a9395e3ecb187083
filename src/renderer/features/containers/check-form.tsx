import { CircleStop, Play } from 'lucide-react'
import type { FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { Field, TextInput } from '../../ui/field'
import { Card } from '../../ui/page'
import { ProgressBar } from '../../ui/spinner'
import { TextArea } from '../../ui/text-area'
import { ExplainedFailure } from '../failures/explained-failure'
import { checkLine } from './check-line'
import { type CheckWish, useCheckStore } from './check-store'
import styles from './containers.module.css'
import type { useCheck } from './use-check'

const ids = ['userId', 'sessionId', 'samplePath'] as const
const placeholders = { userId: 'user-42', sessionId: 'session-42', samplePath: '/invocations' } as const

function Sample() {
  const { t } = useTranslation('runtimes')
  const { wish, change } = useCheckStore()
  const set = (field: keyof CheckWish) => (event: { readonly target: { readonly value: string } }) =>
    change({ [field]: event.target.value })
  return (
    <>
      <div className={styles.trio}>
        {ids.map((field) => (
          <Field key={field} label={t(`check.fields.${field}`)} hint={t(`check.hints.${field}`)} optional>
            <TextInput mono placeholder={placeholders[field]} value={wish[field]} onChange={set(field)} />
          </Field>
        ))}
      </div>
      <Field label={t('check.fields.sampleBody')} optional>
        <TextArea
          rows={2}
          className={styles.mono ?? ''}
          placeholder={'{"prompt":"Hello"}'}
          value={wish.sampleBody}
          onChange={set('sampleBody')}
        />
      </Field>
    </>
  )
}

function Line() {
  const { t } = useTranslation(['runtimes', 'common'])
  const wish = useCheckStore((store) => store.wish)
  const line = checkLine(wish)
  return (
    <div className={styles.lineRow}>
      <span className={styles.quiet}>{t('runtimes:check.line')}</span>
      <Code quiet wrap>
        {line}
      </Code>
      <CopyText text={line} label={t('common:copyNamed', { what: t('runtimes:check.line') })} />
    </div>
  )
}

/** What is asked and of whom, with start and stop; the same as a line for a terminal. */
export function CheckForm({ check }: { readonly check: ReturnType<typeof useCheck> }) {
  const { t } = useTranslation(['runtimes', 'common'])
  const { wish, change, found } = useCheckStore()
  const { isRunning, failure, wasCancelled, start, cancel } = check
  const failed = found?.findings.filter(({ state }) => state === 'failed').length
  const outcome = failed === undefined ? '' : t('runtimes:check.failedCount', { count: failed })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    start()
  }
  return (
    <Card>
      <form className={styles.form} onSubmit={submit} noValidate aria-label={t('runtimes:check.form')}>
        <Field label={t('runtimes:check.fields.url')} hint={t('runtimes:check.hints.url')} required>
          <TextInput mono value={wish.url} onChange={(event) => change({ url: event.target.value })} />
        </Field>
        <Sample />
        <div className={styles.buttons}>
          <Button type="submit" variant="primary" icon={Play} busy={isRunning} disabled={wish.url.trim() === ''}>
            {t('runtimes:check.start')}
          </Button>
          {isRunning ? (
            <Button icon={CircleStop} onClick={cancel}>
              {t('common:cancel')}
            </Button>
          ) : null}
          <span className={styles.quiet} role="status">
            {isRunning ? '' : wasCancelled ? t('runtimes:check.cancelled') : outcome}
          </span>
        </div>
        {isRunning ? <ProgressBar label={t('runtimes:check.running')} /> : null}
        {failure ? <ExplainedFailure failure={failure} handlers={{ tryAgain: start }} /> : null}
        <Line />
      </form>
    </Card>
  )
}
