"""The starter of the numpy article completed from the text of the article alone, formula by formula."""

import boids_starter as given
import numpy as np


def separation(my_position, neighbour_positions):
    separation_force = np.zeros(2)
    for neighbour_position in neighbour_positions:
        away = my_position - neighbour_position
        distance = np.sqrt((away**2).sum())
        if 0 < distance < given.PERSONAL_SPACE:
            separation_force += away / distance
    return separation_force


def alignment(my_velocity, neighbour_velocities):
    average_velocity = neighbour_velocities.mean(axis=0)
    return average_velocity - my_velocity


def cohesion(my_position, neighbour_positions):
    centre_of_mass = neighbour_positions.mean(axis=0)
    return centre_of_mass - my_position


def obstacle_avoidance(positions):
    steering = np.zeros_like(positions)
    obstacle_centre = np.array([given.OBSTACLE_X, given.OBSTACLE_Y])
    for i in range(len(positions)):
        direction = positions[i] - obstacle_centre
        distance = np.sqrt((direction**2).sum())
        if 0 < distance < given.OBSTACLE_RADIUS * 1.5:
            unit = direction / distance
            strength = (given.OBSTACLE_RADIUS * 1.5 - distance) / distance
            steering[i] = unit * strength
    return steering
