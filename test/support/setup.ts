// Runs before each test file, also where several share a process: what the file makes goes when its tests are done.
import { afterAll } from 'vitest';
import { clearGround } from './ground.ts';

afterAll(clearGround);
