import type { PromptSummary, PromptVersion } from '@shared/contract'
import { Command as List } from 'cmdk'
import { Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { CallError, call, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { SkeletonRows } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import frame from '../palette/palette.module.css'
import styles from './prompt-picker.module.css'

interface PromptPickerProps {
  readonly onPick: (version: PromptVersion) => void
  readonly onClose: () => void
}

function Prompts({
  prompts,
  onChoose,
}: {
  readonly prompts: readonly PromptSummary[]
  readonly onChoose: (id: string) => void
}) {
  const { t } = useTranslation('playground')
  return (
    <List.List className={frame.list}>
      <List.Empty className={frame.empty}>
        {t(prompts.length === 0 ? 'promptPicker.none' : 'promptPicker.noMatch')}
      </List.Empty>
      {prompts.map(({ id, name, tags, preview }) => (
        <List.Item key={id} value={id} keywords={[name, ...tags, preview]} onSelect={onChoose} className={styles.item}>
          <span className={styles.name}>
            {name}
            {tags.map((tag) => (
              <span key={tag} className={styles.tag}>
                {tag}
              </span>
            ))}
          </span>
          <span className={styles.preview}>{preview}</span>
        </List.Item>
      ))}
    </List.List>
  )
}

/** Finds a prompt of the library and gives its newest version. */
export function PromptPicker({ onPick, onClose }: PromptPickerProps) {
  const { t } = useTranslation('playground')
  const words = useFailureWords()
  const prompts = useCall('playground.prompts', {})
  const choose = async (id: string): Promise<void> => {
    try {
      const [newest] = (await call('playground.prompt', { id })).versions
      if (newest) onPick(newest)
      onClose()
    } catch (error) {
      if (error instanceof CallError) void toast(words(error.failure).title, { tone: 'danger' })
    }
  }
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className={frame.overlay} />
        <Dialog.Content className={frame.palette} aria-describedby={undefined}>
          <Dialog.Title className="sr-only">{t('promptPicker.title')}</Dialog.Title>
          <List label={t('promptPicker.title')} loop>
            <div className={frame.search}>
              <Search size={16} strokeWidth={1.8} aria-hidden="true" />
              <List.Input autoFocus className={frame.input} placeholder={t('promptPicker.placeholder')} />
            </div>
            <Loaded query={prompts} skeleton={<SkeletonRows rows={3} />}>
              {(all) => <Prompts prompts={all} onChoose={(id) => void choose(id)} />}
            </Loaded>
          </List>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
