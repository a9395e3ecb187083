/** What one replica of a runtime runs on. The fields are ours. */
export interface Flavor {
  readonly id: string
  readonly name: string
  readonly vCPU: number
  readonly memoryGiB: number
  /** VND for each replica. */
  readonly pricePerHour: number
}

/** Everything a runtime can run on, the smallest first. */
export const flavors: readonly Flavor[] = [
  { id: 'flavor-micro', name: 'Micro', vCPU: 0.5, memoryGiB: 1, pricePerHour: 320 },
  { id: 'flavor-small', name: 'Small', vCPU: 1, memoryGiB: 2, pricePerHour: 650 },
  { id: 'flavor-medium', name: 'Medium', vCPU: 2, memoryGiB: 4, pricePerHour: 1_300 },
  { id: 'flavor-large', name: 'Large', vCPU: 4, memoryGiB: 8, pricePerHour: 2_600 },
  { id: 'flavor-memory', name: 'Large memory', vCPU: 4, memoryGiB: 32, pricePerHour: 4_400 },
  { id: 'flavor-xlarge', name: 'Extra large', vCPU: 8, memoryGiB: 16, pricePerHour: 5_200 },
]
