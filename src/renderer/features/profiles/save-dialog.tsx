import type { ProfileEntry, ProfileView, ToolView } from '@shared/contract'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Checkbox } from '../../ui/checkbox'
import { Code } from '../../ui/code'
import { Dialog } from '../../ui/dialog'
import { FieldGroup } from '../../ui/field'
import { Facts } from '../../ui/rows'
import { toast } from '../../ui/toast'
import { toggled } from '../../ui/virtual-table-columns'
import { ExplainedFailure } from '../failures/explained-failure'
import { useSiteWords } from '../tools/use-site-words'
import { entryKey, presentEntries } from './entries'
import { NameField, readName } from './name-field'
import styles from './profiles.module.css'

interface SetupsProps {
  readonly tools: readonly ToolView[]
  readonly entries: readonly ProfileEntry[]
  readonly left: ReadonlySet<string>
  readonly onToggle: (toolId: string) => void
}

/** The tools that are set up, each to be kept or left out. */
function Setups({ tools, entries, left, onToggle }: SetupsProps) {
  const { t } = useTranslation('profiles')
  const siteWords = useSiteWords()
  const { data: plans = [] } = useCall('plans.list', {})
  return (
    <ul className={styles.setups} aria-label={t('save.tools')}>
      {tools
        .filter(({ id }) => entries.some(({ toolId }) => toolId === id))
        .map(({ id, name }) => (
          <li key={id}>
            <Checkbox checked={!left.has(id)} onCheckedChange={() => onToggle(id)} label={name} />
            <div>
              <p className={styles.toolName}>{name}</p>
              {entries
                .filter(({ toolId }) => toolId === id)
                .map((entry) => (
                  <div key={entryKey(entry)} className={styles.facts}>
                    <Facts
                      items={[
                        entry.site.kind !== 'user' && siteWords(entry.site),
                        plans.find((plan) => plan.id === entry.planId)?.name,
                        <Code key="model" quiet>
                          {entry.modelCode}
                        </Code>,
                      ]}
                    />
                  </div>
                ))}
            </div>
          </li>
        ))}
    </ul>
  )
}

interface SaveDialogProps {
  readonly tools: readonly ToolView[]
  readonly profiles: readonly ProfileView[]
  readonly onClose: () => void
}

/** Keeps how the tools are set up now, under a name. */
export function SaveDialog({ tools, profiles, onClose }: SaveDialogProps) {
  const { t } = useTranslation(['profiles', 'common'])
  const formId = useId()
  const [text, setText] = useState('')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const entries = presentEntries(tools)
  const toolIds = [...new Set(entries.map(({ toolId }) => toolId))].filter((id) => !left.has(id))
  const taken = profiles.map((profile) => profile.name)
  const name = readName(text, taken)
  const saving = useAction('profiles.saveCurrent', {
    invalidates: ['profiles'],
    onSuccess: (profile) => {
      onClose()
      void toast(t('profiles:save.done', { name: profile.name }))
    },
  })
  const canSave = name !== undefined && toolIds.length > 0
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (canSave && !saving.isPending) saving.mutate({ name, ...(left.size > 0 ? { toolIds } : {}) })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !saving.isPending) onClose()
      }}
      title={t('profiles:save.title')}
      description={t('profiles:save.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending} disabled={!canSave}>
            {t('profiles:save.button')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <FieldGroup>
          <NameField text={text} onText={setText} taken={taken} />
          <Setups tools={tools} entries={entries} left={left} onToggle={(id) => setLeft(toggled(left, id))} />
          {saving.error ? <ExplainedFailure failure={saving.error.failure} /> : null}
        </FieldGroup>
      </form>
    </Dialog>
  )
}
