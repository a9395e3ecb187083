import type { FileChange } from '@shared/contract'
import { Columns2, CornerDownRight, FileLock2, FileMinus2, FilePlus2, FileText, Rows2 } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Badge, type Tone } from '../../ui/badge'
import { DiffView, type DiffWords } from '../../ui/diff-view'
import { countChanges } from '../../ui/diff-view-rows'
import { Segmented } from '../../ui/radio-cards'
import styles from './file-changes.module.css'
import { LineCounts } from './line-counts'
import { useToolsStore } from './tools-store'

const tones: Record<FileChange['action'], Tone> = {
  create: 'success',
  change: 'accent',
  delete: 'danger',
  none: 'neutral',
}
const icons = { create: FilePlus2, change: FileText, delete: FileMinus2, none: FileText } as const

/** Chooses between one column and side by side; remembered until the window closes. */
export function LayoutToggle() {
  const { t } = useTranslation('tools')
  const layout = useToolsStore((store) => store.layout)
  const setLayout = useToolsStore((store) => store.setLayout)
  return (
    <Segmented
      label={t('layout')}
      value={layout}
      onValueChange={(value) => setLayout(value === 'split' ? 'split' : 'inline')}
      segments={[
        { value: 'inline', label: t('inline'), icon: Rows2 },
        { value: 'split', label: t('split'), icon: Columns2 },
      ]}
    />
  )
}

function useDiffWords(): DiffWords {
  const { t } = useTranslation('tools')
  return {
    added: t('diff.added'),
    removed: t('diff.removed'),
    secret: t('diff.secret'),
    before: t('diff.before'),
    after: t('diff.after'),
    gap: (count) => t('diff.gap', { count }),
  }
}

/** A path whose folders give way before its last part does. */
function Path({ path }: { path: string }) {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1
  return (
    <span className={styles.path} title={path}>
      <span className={styles.folder}>{path.slice(0, at)}</span>
      <span className={styles.name}>{path.slice(at)}</span>
    </span>
  )
}

function Body({ file }: { file: FileChange }) {
  const { t } = useTranslation('tools')
  const layout = useToolsStore((store) => store.layout)
  const words = useDiffWords()
  const { action, holdsKey, lines, path } = file
  if (action === 'none') return <p className={styles.note}>{t('noChange')}</p>
  if (lines.length === 0) {
    const words = { delete: 'holdsKeyDeleted', create: 'holdsKey', change: 'holdsKey' } as const
    return <p className={styles.note}>{holdsKey ? t(words[action]) : t('deletedWhole')}</p>
  }
  // Where there is only one side, two columns would leave one empty.
  const oneSided = action === 'create' || action === 'delete'
  return <DiffView lines={lines} layout={oneSided ? 'inline' : layout} label={t('diffLabel', { path })} words={words} />
}

function FileCard({ file }: { file: FileChange }) {
  const { t } = useTranslation('tools')
  const id = useId()
  const Icon = file.holdsKey ? FileLock2 : icons[file.action]
  return (
    <article className={styles.card} aria-labelledby={id}>
      <header className={styles.head}>
        <Icon size={15} strokeWidth={1.8} className={styles.icon} aria-hidden="true" />
        <h3 id={id} className={styles.title}>
          <Path path={file.path} />
        </h3>
        <CopyText text={file.path} label={t('copyPath')} />
        <span className={styles.summary}>
          <LineCounts {...countChanges(file.lines)} />
          <Badge tone={tones[file.action]}>{t(`fileActions.${file.action}`)}</Badge>
        </span>
      </header>
      {file.linkTarget === undefined ? null : (
        <p className={styles.link}>
          <CornerDownRight size={13} aria-hidden="true" />
          {t('linkTo')} <code>{file.linkTarget}</code>
        </p>
      )}
      <Body file={file} />
    </article>
  )
}

/** Every file that will be written, with what changes in it. */
export function FileChanges({ files }: { files: readonly FileChange[] }) {
  return (
    <div className={styles.files}>
      {files.map((file) => (
        <FileCard key={file.path} file={file} />
      ))}
    </div>
  )
}
