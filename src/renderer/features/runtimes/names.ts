import { fieldOf, isPlain } from '../resources/lookup'
import type { Json } from '../resources/resource'

/** The fields that these pages look for, in this order: the spec names none of them (decisions 5). */
export const names = {
  name: ['name', 'runtimeName', 'displayName', 'title'],
  status: ['status', 'state', 'phase'],
  image: ['image', 'imageUrl', 'imageUri', 'containerImage', 'imageName'],
  flavor: ['flavorId', 'flavor', 'flavourId', 'flavour', 'instanceType', 'flavorName'],
  replicas: ['replicas', 'replicaCount', 'replica', 'instances'],
  cpuThreshold: ['cpuUtilizationThreshold', 'cpuThreshold', 'targetCpuUtilization', 'cpuPercent'],
  memoryThreshold: ['memoryUtilizationThreshold', 'memoryThreshold', 'targetMemoryUtilization', 'memoryPercent'],
  version: ['version', 'versionNumber', 'runtimeVersion', 'revision', 'number'],
  clientId: ['clientId', 'serviceAccountId', 'serviceAccount.clientId', 'iamClientId'],
  created: ['createdAt', 'created', 'creationTime', 'createTime'],
  updated: ['updatedAt', 'updated', 'modifiedAt', 'lastModified'],
  url: ['url', 'endpointUrl', 'address', 'host', 'invokeUrl'],
} as const

/** When something was, under which names. */
export const timeNames = ['timestamp', 'time', 'at', 'ts', '@timestamp', 'date', 'datetime', 'createdAt', 't']

const secondsUntil = 100_000_000_000

/** A moment in ms since 1970: ISO 8601, or seconds or milliseconds as a number; nothing for anything else. */
export function momentOf(value: Json | undefined): number | undefined {
  if (!isPlain(value) || typeof value === 'boolean' || value === '') return undefined
  const number = Number(value)
  if (Number.isFinite(number)) return number < secondsUntil ? number * 1000 : number
  const parsed = Date.parse(String(value))
  return Number.isNaN(parsed) ? undefined : parsed
}

/** The version that a row speaks of, as a text; nothing when it names none. */
export function versionOf(row: Json | undefined): string | undefined {
  const value = fieldOf(row, names.version)
  return isPlain(value) && value !== '' ? String(value) : undefined
}
