import { Layers, Package } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../../ipc'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/page'
import { SearchField } from '../../../ui/search-field'
import { SkeletonRows } from '../../../ui/skeleton'
import { images, repositories } from '../registry'
import {
  type FieldPickerProps,
  findIdentifier,
  type Json,
  QueryFailure,
  readField,
  readName,
  searchedRows,
  toText,
} from '../resources'

/** Names of fields that may contain a repository's address, most preferred first. The spec does not define them. */
const addressNames = ['uri', 'repositoryUri', 'url', 'repositoryUrl', ...repositories.naming]
const pushTimeFieldNames = ['pushedAt', 'pushTime', 'createdAt', 'updatedAt', 'created']

/** Maximum number of images in the list. The user can type the address of any other image. */
const maxImages = 100

/** Image reference: repository with tag or digest, unless the name is complete. */
function imageAddress(repositoryRow: Json, imageRow: Json): string {
  const name = readName(imageRow, images)
  if (name.includes('/')) return name
  const address = toText(readField(repositoryRow, addressNames)).replace(/^https?:\/\//, '')
  return `${address}${name.startsWith('sha256:') ? '@' : ':'}${name}`
}

interface ListProps extends Pick<FieldPickerProps, 'connection'> {
  /** Repository whose images are listed. Undefined lists all repositories. */
  readonly of: Json | undefined
  readonly onPick: (row: Json) => void
}

function RegistryList({ connection, of, onPick }: ListProps) {
  const { t } = useTranslation('runtimes')
  const [text, setText] = useState('')
  const repoId = of === undefined ? undefined : (findIdentifier(of, repositories.identifier) ?? '')
  const isImageList = repoId !== undefined
  const query = useCall('resources.page', {
    connectionId: connection.id,
    size: maxImages,
    ...(isImageList
      ? { operation: 'registry.images.list', path: { repoId }, query: { name: '' } }
      : { operation: 'registry.repositories.list' }),
  })
  const { data, error } = query
  if (error) return <QueryFailure query={query} connection={connection} address="registryApiUrl" />
  if (!data) return <SkeletonRows rows={4} />
  const formatPushTime = (row: Json): string => toText(readField(row, pushTimeFieldNames))
  const rows = isImageList
    ? data.rows.toSorted((a, b) => formatPushTime(b).localeCompare(formatPushTime(a)))
    : data.rows
  const matchingImages = searchedRows(rows, text)
  const label = t(isImageList ? 'pick.images' : 'pick.repositories')
  const Icon = isImageList ? Layers : Package
  if (rows.length === 0) {
    return (
      <EmptyState icon={Icon} title={t(isImageList ? 'pick.noImages' : 'pick.noRepositories')}>
        {t('pick.noneText')}
      </EmptyState>
    )
  }
  return (
    <div className="grid gap-3">
      <SearchField
        label={t('pick.search')}
        value={text}
        onChange={setText}
        found={{ shown: matchingImages.length, count: rows.length }}
      />
      <ul className="divide-y rounded-md border" aria-label={label}>
        {matchingImages.map((row) => {
          const name = readName(row, isImageList ? images : repositories)
          return (
            <li key={name}>
              <button
                type="button"
                className="flex w-full items-center gap-2 px-3 py-2 text-left font-mono text-sm hover:bg-hover"
                onClick={() => onPick(row)}
              >
                <Icon size={15} strokeWidth={1.8} className="flex-none text-faint" aria-hidden="true" />
                <span className="min-w-0 break-all">{name}</span>
              </button>
            </li>
          )
        })}
      </ul>
      {(data.totalItems ?? 0) > rows.length ? (
        <p className="text-muted text-sm">{t('pick.more', { max: maxImages })}</p>
      ) : null}
    </div>
  )
}

/** Lets the user select an image from the registry, and writes its address into the form field above. */
export function ImagePicker({ connection, onPick }: FieldPickerProps) {
  const { t } = useTranslation(['runtimes', 'common'])
  const [isOpen, setIsOpen] = useState(false)
  const [repository, setRepository] = useState<Json>()
  if (connection.addresses.registryApiUrl === undefined) return null
  const show = (open: boolean): void => {
    setRepository(undefined)
    setIsOpen(open)
  }
  const pickImage = (row: Json): void => {
    if (repository === undefined) setRepository(row)
    else {
      onPick(imageAddress(repository, row))
      show(false)
    }
  }
  return (
    <div className="mt-2">
      <Button size="sm" icon={Package} onClick={() => show(true)}>
        {t('pick.label')}
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => show(false)}
        title={repository === undefined ? t('pick.title') : readName(repository, repositories)}
        description={t(repository === undefined ? 'pick.repositoryText' : 'pick.imageText')}
        footer={
          repository === undefined ? undefined : (
            <Button onClick={() => setRepository(undefined)}>{t('pick.back')}</Button>
          )
        }
      >
        {isOpen ? (
          <RegistryList key={toText(repository)} connection={connection} of={repository} onPick={pickImage} />
        ) : null}
      </Dialog>
    </div>
  )
}
