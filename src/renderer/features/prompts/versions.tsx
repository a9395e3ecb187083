import type { PromptVersion, PromptView } from '@shared/contract'
import { GitCompareArrows, History } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { Dialog } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { Select } from '../../ui/select'
import { TextDiff } from '../compare/text-diff'
import { asText } from './prompt-form'
import styles from './prompts.module.css'

interface VersionsProps {
  readonly prompt: PromptView
  /** Something is typed that is not kept yet. */
  readonly isChanged: boolean
  readonly onRestore: (version: PromptVersion) => void
}

/** Every version that was kept, the newest first: what changed with it, and back to it. */
export function Versions({ prompt, isChanged, onRestore }: VersionsProps) {
  const { t } = useTranslation('prompts')
  const [between, setBetween] = useState<readonly [number, number]>()
  const { versions } = prompt
  return (
    <aside className={styles.versions} aria-label={t('versions.title')}>
      <h2 className={styles.versionsTitle}>{t('versions.title')}</h2>
      <ol className={styles.versionList}>
        {versions.map((version, at) => {
          const { number, createdAt } = version
          const earlier = versions[at + 1]?.number
          return (
            <li key={number} className={styles.version}>
              <span className={styles.versionWords}>
                <span className={styles.versionName}>
                  {t('versions.number', { number })}
                  {at === 0 ? <Badge>{t('versions.newest')}</Badge> : null}
                </span>
                <span className={styles.quiet}>
                  <RelativeTime at={createdAt} />
                </span>
              </span>
              {earlier === undefined ? null : (
                <IconButton
                  size="sm"
                  icon={GitCompareArrows}
                  label={t('versions.changes', { number })}
                  onClick={() => setBetween([earlier, number])}
                />
              )}
              {at === 0 ? null : (
                <IconButton
                  size="sm"
                  icon={History}
                  label={t(isChanged ? 'versions.saveFirst' : 'versions.restore', { number })}
                  aria-disabled={isChanged || undefined}
                  onClick={() => {
                    if (!isChanged) onRestore(version)
                  }}
                />
              )}
            </li>
          )
        })}
      </ol>
      {between ? <VersionDiff versions={versions} between={between} onClose={() => setBetween(undefined)} /> : null}
    </aside>
  )
}

interface VersionDiffProps {
  /** The newest first. */
  readonly versions: readonly PromptVersion[]
  /** The numbers that are compared at first. */
  readonly between: readonly [number, number]
  readonly onClose: () => void
}

/** What sets two versions of a prompt apart; any two can be chosen. */
function VersionDiff({ versions, between, onClose }: VersionDiffProps) {
  const { t } = useTranslation('prompts')
  const [[from, to], setBetween] = useState(between)
  const before = versions.find(({ number }) => number === from)
  const after = versions.find(({ number }) => number === to)
  const options = versions.map(({ number }) => ({ value: String(number), label: t('versions.number', { number }) }))
  const headings = {
    text: t('form.text'),
    system: t('form.system'),
    target: t('form.target'),
    parameters: t('form.parameters'),
  }
  return (
    <Dialog open size="lg" onOpenChange={onClose} title={t('versions.diff')}>
      <div className={styles.between}>
        <Select
          aria-label={t('versions.from')}
          value={String(from)}
          options={options}
          onValueChange={(value) => setBetween([Number(value), to])}
        />
        <span aria-hidden="true">→</span>
        <Select
          aria-label={t('versions.to')}
          value={String(to)}
          options={options}
          onValueChange={(value) => setBetween([from, Number(value)])}
        />
      </div>
      {before && after ? (
        <TextDiff
          before={asText(before, after, headings)}
          after={asText(after, before, headings)}
          names={[t('versions.number', { number: from }), t('versions.number', { number: to })]}
        />
      ) : null}
    </Dialog>
  )
}
